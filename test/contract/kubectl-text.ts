import { normaliseText } from './normalise.ts';

const AGE = /\b(\d+y)?(\d+d)?(\d+h)?(\d+m)?\d+s\b|\b\d+m\b(?! )|<invalid>/g;

/** Sections that tell of everything else on the cluster, or of what came when. */
const CUT_SECTIONS = ['Events:', 'Non-terminated Pods:', 'Allocated resources:', 'Lease:', 'Addresses:'];

/** What kubectl printed, in a form that only depends on what the API told it: columns set apart by two spaces, no ages. */
export function normaliseOutput(text: string): readonly string[] {
  const lines: string[] = [];
  let cutting = false;
  for (const raw of text.split('\n')) {
    const startsSection = /^\S/.test(raw);
    if (startsSection) cutting = CUT_SECTIONS.some((section) => raw.startsWith(section));
    if (cutting && !startsSection) continue;
    const line = normaliseText(cutting ? (raw.split(':')[0] ?? '') : raw)
      .replace(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '#date')
      .replace(
        /(web|crash|once)-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}/g,
        '$1-#hash-#rand',
      )
      .replace(AGE, '#age')
      .replace(/node-[a-d]\b/g, '#node')
      .replace(/zone-[12]\b/g, '#zone')
      .replace(/#node\/127\.0\.0\.1/g, '#node')
      .replace(/\s{2,}/g, '  ')
      .trimEnd();
    if (line !== '') lines.push(line);
  }
  return lines;
}
