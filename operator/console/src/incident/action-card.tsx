import type { Action, Attempt, Verification } from '@hephaisto/core/report/action';
import { FactPairs, Pair } from '../parts/facts.tsx';
import { inertText, plainName } from '../parts/inert-text.ts';
import { StackedCell, StackedRow, StackedTable } from '../parts/stacked-table.tsx';
import { Tag } from '../parts/tags.tsx';
import { At } from '../parts/time.tsx';
import { Wide } from '../parts/wide.tsx';
import { ACTION_LOOKS, lookOf, PROPOSAL_LOOKS } from '../parts/words.ts';
import { durationText } from '../time/duration.ts';
import { progressOf, questionWord } from './progress.ts';
import { ProgressStrip } from './progress-strip.tsx';

/** One action, whole: what was asked, who decided, what was sent, what was measured, what was undone. */
export function ActionCard({ action }: { readonly action: Action; readonly at: number }) {
  const progress = progressOf(action.state);
  return (
    <section className="action-card" aria-label={action.type} data-state={action.state}>
      <p className="line">
        <Tag look={lookOf(ACTION_LOOKS, action.state)} raw={action.state} field="action-state" />
        <b>{plainName(action.type)}</b>
        <span className="soft wrap-any">
          {action.target.kind} {inertText(action.target.namespace)}/{inertText(action.target.name)}
        </span>
        <span className="faint">
          since <At instant={action.stateSince} />
        </span>
      </p>
      {progress === undefined ? null : <ProgressStrip action={action} progress={progress} />}
      {action.decisionReasons.length === 0 ? null : (
        <p className="soft wrap-any">
          Policy: {plainName(action.decision ?? '').toLowerCase()} ({action.decisionReasons.map(plainName).join('; ')})
        </p>
      )}
      {action.failing === null ? null : (
        <p className="soft wrap-any" data-field="failing">
          {action.failing.deadLetterAt === null
            ? 'Work on this action keeps failing'
            : 'Work on this action was given up'}
          : {inertText(action.failing.message)}
        </p>
      )}
      <Decisions action={action} />
      {action.attempts.length === 0 ? null : <Attempts attempts={action.attempts} />}
      {action.verifications.length === 0 ? null : <Checks checks={action.verifications} />}
      <details className="more">
        <summary>Before, after, undo</summary>
        <dl className="pairs">
          <Pair name="policy" value={<code>{action.policyHash?.slice(0, 12) ?? '–'}</code>} />
          <Pair name="mode" value={action.mode ?? '–'} />
        </dl>
        {action.preState === null ? null : (
          <>
            <h4 className="label">Before</h4>
            <FactPairs facts={action.preState} />
          </>
        )}
        {action.postState === null ? null : (
          <>
            <h4 className="label">After</h4>
            <FactPairs facts={action.postState} />
          </>
        )}
        {action.inverse === null ? null : (
          <>
            <h4 className="label">Undo</h4>
            <FactPairs facts={action.inverse} />
          </>
        )}
      </details>
    </section>
  );
}

function Decisions({ action }: { readonly action: Action }) {
  if (action.proposals.length === 0) return null;
  return (
    <ul className="decisions">
      {action.proposals.map((proposal) => (
        <li key={proposal.id}>
          <span className="line">
            <span className="faint">revision {proposal.revision}</span>
            <Tag look={lookOf(PROPOSAL_LOOKS, proposal.state)} raw={proposal.state} field="proposal-state" />
            {proposal.voidReason === null ? null : <span className="soft">{plainName(proposal.voidReason)}</span>}
            <code className="faint">{proposal.digest.slice(0, 12)}</code>
          </span>
          {proposal.votes.map((vote) => (
            <span key={vote.by.subject} className="soft wrap-any">
              {vote.decision === 'approve' ? 'approved' : 'denied'} by <b>{vote.by.name}</b> (<At instant={vote.at} />,{' '}
              {vote.source}){vote.reason === null ? '' : `: ${inertText(vote.reason)}`}
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  return (
    <Wide what="Calls">
      <StackedTable heads={['Call', 'Sent', 'Took', 'Outcome', 'What the API server said']}>
        {attempts.map((attempt) => (
          <StackedRow key={attempt.id}>
            <StackedCell>{plainName(attempt.phase)}</StackedCell>
            <StackedCell label="sent">
              <At instant={attempt.startedAt} />
            </StackedCell>
            <StackedCell className="numbers" label="took">
              {took(attempt)}
            </StackedCell>
            <StackedCell label="outcome">
              {plainName(attempt.outcome)}
              {attempt.readback === null ? '' : `, read back: ${plainName(attempt.readback)}`}
            </StackedCell>
            <StackedCell className="wrap-any" label="said">
              {said(attempt)}
            </StackedCell>
          </StackedRow>
        ))}
      </StackedTable>
    </Wide>
  );
}

function said({ httpStatus, message }: Attempt): string {
  const text = `${httpStatus ?? ''} ${inertText(message ?? '')}`.trim();
  return text === '' ? '–' : text;
}

function took(attempt: Attempt): string {
  if (attempt.finishedAt === null) return 'not answered';
  const milliseconds = Date.parse(attempt.finishedAt) - Date.parse(attempt.startedAt);
  return milliseconds < 1_000 ? `${milliseconds} ms` : durationText(milliseconds / 1000);
}

function Checks({ checks }: { readonly checks: readonly Verification[] }) {
  return (
    <Wide what="Checks">
      <StackedTable heads={['Check', 'Due', 'Result', 'Measured']}>
        {checks.map((check) => (
          <StackedRow key={`${check.subject} ${check.attempt}`}>
            <StackedCell>
              {questionWord(check.question)}
              {check.subject === 'rollback' ? ' (of the undo)' : ''}
            </StackedCell>
            <StackedCell label="due">
              <At instant={check.ranAt ?? check.dueAt} />
            </StackedCell>
            <StackedCell label="result">{check.result ?? 'not yet'}</StackedCell>
            <StackedCell className="wrap-any" label="measured">
              {measured(check)}
            </StackedCell>
          </StackedRow>
        ))}
      </StackedTable>
    </Wide>
  );
}

function measured({ predicates }: Verification): string {
  if (predicates.length === 0) return '–';
  return predicates
    .map((each) => `${plainName(each.predicate)} ${each.verdict}: ${inertText(each.message)}`)
    .join('; ');
}
