import type { JobFact } from '../../facts/facts.ts';
import { lastWords } from '../last-words.ts';
import { inQuotes, quote } from '../quote.ts';
import { finding, type Rule } from '../rule.ts';
import { decisiveWords } from '../symptom-evidence.ts';
import { troubleOf } from '../trouble.ts';
import { type CaseView, logsOf } from '../view.ts';

/** A job that has had a pod for this long without one that could start is stuck; image and scheduling trouble is retried until then. */
const STUCK_AFTER_MS = 30 * 60_000;

export const jobFailed: Rule = {
  id: 'job-failed',
  question: 'Did the job give up, or does it hang?',
  needs: ['get_job', 'get_pods'],
  evaluate({ view }) {
    const job = view.job?.value;
    if (job === undefined || view.about === undefined) return [];
    const stuck = isStuck(job, view);
    const ended = job.conditions.find(({ type, status }) => type === 'Failed' && status === 'True');
    if (ended === undefined && !stuck) return [];
    const words = lastWords(failedLogs(view));
    const owner = job.owners.find(({ kind }) => kind === 'CronJob');
    const reason = ended?.reason ?? 'stuck';
    return finding(jobFailed, {
      category: 'application',
      statement: stuck
        ? `Job ${job.name} cannot start its pod and holds its place${stuckWords(view)}; its CronJob makes the next one when it is gone.`
        : `Job ${job.name} failed (${reason}) after ${job.failed} failed pods${words === undefined ? '; no log says why' : `: ${inQuotes(words.line)}`}.`,
      certainty: stuck || words !== undefined ? 'likely' : 'possible',
      cause: {
        kind: 'job-failed',
        job: { kind: 'Job', namespace: job.namespace, name: job.name, uid: job.uid },
        workload:
          owner === undefined
            ? view.about
            : { kind: 'CronJob', namespace: job.namespace, name: owner.name, uid: owner.uid },
        detail: stuck ? 'stuck' : reason,
      },
      evidence: [
        ...(words === undefined ? [] : [words.claim]),
        ...quote(view.job, ended === undefined ? `Job ${job.namespace}/${job.name}: ` : 'condition Failed True'),
        ...quote(view.pods, 'pod '),
      ],
    });
  },
};

/** The logs of the containers that failed; of all its pods where none is left in trouble. */
function failedLogs(view: CaseView) {
  const failed = logsOf(view, view.troubles);
  return failed.length > 0 ? failed : view.logs;
}

function stuckWords(view: CaseView): string {
  const [first] = view.troubles;
  const words = first === undefined ? undefined : decisiveWords(view, view.troubles, first.symptom);
  return words === undefined ? '' : ` (${inQuotes(words)})`;
}

/** Only where a CronJob makes a new one: deleting the only copy of somebody's job is no repair. */
function isStuck(job: JobFact, view: CaseView): boolean {
  const pods = view.pods?.value ?? [];
  return (
    job.active > 0 &&
    job.owners.some(({ kind }) => kind === 'CronJob') &&
    view.subject.now.getTime() - job.createdAt.getTime() > STUCK_AFTER_MS &&
    pods.length > 0 &&
    pods.every((pod) =>
      ['image-pull', 'config', 'unschedulable', 'creating'].includes(troubleOf(pod, view.episode)?.symptom ?? ''),
    )
  );
}
