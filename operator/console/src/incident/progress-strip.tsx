import type { Action } from '@hephaisto/core/report/action';
import { Icon, type IconName } from '../parts/icons.tsx';
import { inertText, plainName } from '../parts/inert-text.ts';
import { At } from '../parts/time.tsx';
import { useServerNow } from '../shell/line-context.ts';
import { countdownText } from '../time/duration.ts';
import { nextCheck, type Progress, type ProgressStep, questionWord } from './progress.ts';

const GLYPHS: Readonly<Record<ProgressStep['state'], IconName>> = {
  done: 'check',
  now: 'pulse',
  failed: 'cross',
  unknown: 'question',
  later: 'dot',
};

/** How far it is, what it waits for, and what the checks have measured. */
export function ProgressStrip({ action, progress }: { readonly action: Action; readonly progress: Progress }) {
  const now = useServerNow();
  const check = nextCheck(action);
  const due = check === undefined ? undefined : (Date.parse(check.dueAt) - now) / 1000;
  const ran = action.verifications.filter((each) => each.ranAt !== null).at(-1);
  const attempt = action.attempts.at(-1);
  return (
    <div className="progress" data-field="progress" data-state={action.state}>
      <ol className="steps">
        {progress.steps.map((step) => (
          <li key={step.name} data-state={step.state}>
            <Icon name={GLYPHS[step.state]} size={13} />
            {step.name}
            <span className="only-read"> ({step.state})</span>
          </li>
        ))}
      </ol>
      <p className="soft">
        {progress.says}
        {check === undefined || progress.over || due === undefined ? null : (
          <>
            {': '}
            {questionWord(check.question)}, {due > 0 ? <b className="numbers">in {countdownText(due)}</b> : 'due now'}
          </>
        )}
        .
      </p>
      {action.undoRetry === null ? null : (
        <p className="soft wrap-any" data-field="undo-retry">
          <b>The undo is being retried</b> (refused {action.undoRetry.retries} times since{' '}
          <At instant={action.undoRetry.since} />, next try <At instant={action.undoRetry.nextAt} />
          ): {inertText(action.undoRetry.message)}
        </p>
      )}
      {ran === undefined ? null : (
        <ul className="measured">
          {ran.predicates.map((predicate) => (
            <li key={predicate.predicate} data-state={predicate.verdict}>
              <span
                className="tag"
                data-tone={predicate.verdict === 'passed' ? 'good' : predicate.verdict === 'failed' ? 'bad' : 'warn'}
              >
                <Icon
                  name={
                    predicate.verdict === 'passed' ? 'check' : predicate.verdict === 'failed' ? 'cross' : 'question'
                  }
                  size={12}
                />
                {plainName(predicate.predicate)}
              </span>{' '}
              <span className="soft wrap-any">{inertText(predicate.message)}</span>
            </li>
          ))}
        </ul>
      )}
      {attempt?.message === null ||
      attempt?.message === undefined ||
      (attempt.httpStatus !== null && attempt.httpStatus < 400) ||
      ran !== undefined ? null : (
        <p className="soft wrap-any">
          The API server said{attempt.httpStatus === null ? '' : ` (${attempt.httpStatus})`}:{' '}
          {inertText(attempt.message)}
        </p>
      )}
    </div>
  );
}
