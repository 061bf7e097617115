/**
 * Texts with secrets in them. What stands between `⟦` and `⟧` must not survive; the brackets are taken out before the text is redacted. Values
 * are made up, and put together from parts so that no scanner of repositories takes them for real ones.
 */
export interface SecretCase {
  readonly name: string;
  readonly text: string;
  readonly secrets: readonly string[];
}

export function secretCase(name: string, marked: string): SecretCase {
  const secrets = [...marked.matchAll(/⟦([^⟧]{1,4000})⟧/g)].map((match) => match[1] ?? '');
  return { name, text: marked.replaceAll(/[⟦⟧]/g, ''), secrets };
}
