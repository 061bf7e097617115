/** How a pod fails, as its own status shows it. */
export const SYMPTOMS = [
  'crash',
  'oom',
  'image-pull',
  'config',
  'unschedulable',
  'initializing',
  'creating',
  'not-ready',
] as const;
export type Symptom = (typeof SYMPTOMS)[number];
