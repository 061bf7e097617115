import { healthyScript } from './background.ts';
import type { Behaviour } from './behaviour.ts';

/** A process that is killed as long as its limit is below what it works with. */
export function needsMemory(
  workload: string,
  mebibytes: number,
  lastWords: string,
  readyAfter: number | 'never' = 3,
): readonly Behaviour[] {
  return [
    {
      workload,
      when: { kind: 'memory-limit-below', mebibytes },
      run: {
        log: [
          { at: 0, text: '{time} info starting {image}' },
          { at: 2, text: '{time} info listening on :8080' },
          { at: 6, text: `{time} info ${lastWords}` },
        ],
        readyAfter,
        exit: { after: 12, code: 137, reason: 'OOMKilled' },
      },
    },
    { workload, when: { kind: 'always' }, run: healthyScript(`${lastWords}, done`) },
  ];
}
