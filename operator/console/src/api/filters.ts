/** Filters of a list as the address holds them: plain words, several separated by commas. */
export type Search = Readonly<Record<string, string>>;

/** The address's query as plain words; what is empty is left out. */
export function parseSearch(query: string): Search {
  return Object.fromEntries([...new URLSearchParams(query)].filter(([, value]) => value !== ''));
}

/** The other way, with the commas left readable. Keys come in alphabetical order, so one set of filters has one address. */
export function formatSearch(search: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(search).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const query = new URLSearchParams(entries).toString().replaceAll('%2C', ',');
  return query === '' ? '' : `?${query}`;
}

export function wordsOf(value: string | undefined): readonly string[] {
  return (value ?? '').split(',').filter((word) => word !== '');
}

/** The filter with the word put in, or taken out where it was in. */
export function toggleWord(value: string | undefined, word: string): string {
  const words = wordsOf(value);
  return (words.includes(word) ? words.filter((other) => other !== word) : [...words, word]).join(',');
}

/** Only the keys that a list knows, as a query of the API. */
export function queryOf(search: Search, known: readonly string[], more: Readonly<Record<string, string>> = {}): string {
  const kept = Object.fromEntries(known.map((key) => [key, search[key] ?? '']));
  return formatSearch({ ...kept, ...more });
}
