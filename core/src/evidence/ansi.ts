const ESCAPE = '\u001b';
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]/g;

/** Text without terminal control sequences. */
export function stripAnsi(text: string): string {
  if (!text.includes(ESCAPE) && !text.includes('\u009b')) return text;
  return text.replace(SEQUENCE, '').replaceAll(ESCAPE, '');
}
