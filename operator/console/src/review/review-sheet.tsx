import type { Proposal } from '@hephaisto/core/report/action';
import type { IncidentReport } from '@hephaisto/core/report/incident';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQuery } from '../api/reads.ts';
import { rightTo } from '../api/rights.ts';
import { progressOf } from '../incident/progress.ts';
import { ProgressStrip } from '../incident/progress-strip.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { Countdown } from '../parts/time.tsx';
import { useStop } from '../shell/kill-switch.tsx';
import { useFreshness } from '../shell/line-context.ts';
import { secondsLeft } from '../time/duration.ts';
import { useElapsed } from '../time/ticking.ts';
import { ApproveForm, DenyForm } from './decision-forms.tsx';
import { frictionOf, judgeReadiness } from './friction.ts';
import { ProposalContent } from './proposal-content.tsx';
import { useDecision } from './use-decision.ts';
import { useDiffSeen } from './use-diff-seen.ts';

interface ReviewProps {
  readonly report: IncidentReport;
  readonly proposal: Proposal;
  readonly at: number;
  readonly denying: boolean;
  readonly onClose: () => void;
}

/** Everything a decision needs on one sheet, and the decision itself. After it, the sheet follows what comes of it. */
export function ReviewSheet({ report, proposal, at, denying, onClose }: ReviewProps) {
  const [form, setForm] = useState<'approve' | 'deny'>(denying ? 'deny' : 'approve');
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  // What was opened is what is decided: a newer revision is announced, never slipped underneath.
  const [opened, setOpened] = useState(proposal);
  const shown = opened.id === proposal.id ? proposal : opened;
  const diff = useDiffSeen(shown.id);
  const session = useQuery(sessionQuery).data;
  const decision = useDecision(shown);
  const freshness = useFreshness();
  const { on } = useStop();
  const left = secondsLeft(shown.secondsLeft, useElapsed(at));
  const friction = frictionOf(shown.action.risk, shown.quorum, shown.action.target.name);
  const right = rightTo(session, 'approver', report.namespace);
  const readiness = judgeReadiness({
    friction,
    freshness,
    right,
    stopped: on,
    // Who was slower knows it from the refusal, before the page has read what became of the proposal.
    proposalState:
      decision.state.kind === 'refused' && decision.state.code === 'already-decided' ? 'Decided' : shown.state,
    secondsLeft: left,
    supersededBy: shown.id === proposal.id ? shown.supersededBy : proposal.id,
    alreadyVoted: shown.votes.some((vote) => vote.by.subject === session?.subject),
    reason,
    typed,
    diffSeen: diff.seen,
    busy: decision.state.kind === 'sending',
  });
  const action = report.actions.find((each) => each.id === shown.action.id);
  const progress = action === undefined ? undefined : progressOf(action.state);
  const approve = (): void => {
    if (readiness.kind === 'ready') decision.send('approve', reason.trim());
  };
  const follows = progress !== undefined && shown.state !== 'Open';
  return (
    <Sheet
      title={
        follows
          ? progress.over
            ? 'Carried out'
            : 'Being carried out'
          : form === 'approve'
            ? 'Approve this action?'
            : 'Deny this action?'
      }
      field="review-sheet"
      busy={decision.state.kind === 'sending'}
      onClose={onClose}
      aside={shown.state === 'Open' ? <Countdown left={shown.secondsLeft} since={at} /> : null}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.ctrlKey && form === 'approve' && !follows) {
          event.preventDefault();
          approve();
        }
      }}
      footer={
        follows ? (
          <>
            <span className="soft">You can close this; the incident’s page goes on showing it.</span>
            <span className="push" />
            <button type="button" className="button" onClick={onClose}>
              Close
            </button>
          </>
        ) : form === 'approve' ? (
          <ApproveForm
            proposal={shown}
            friction={friction}
            readiness={readiness}
            session={session ?? undefined}
            reason={reason}
            onReason={setReason}
            typed={typed}
            onTyped={setTyped}
            onApprove={approve}
            onDeny={() => setForm('deny')}
          />
        ) : (
          <DenyForm
            right={right}
            open={shown.state === 'Open'}
            busy={decision.state.kind === 'sending'}
            onBack={() => setForm('approve')}
            onDeny={(why) => decision.send('deny', why)}
          />
        )
      }
    >
      <Outcome
        decision={decision}
        proposal={shown}
        newest={proposal}
        onTakeNewest={() => {
          setOpened(proposal);
          setTyped('');
          decision.reset();
        }}
        over={progress?.over === true}
      />
      {follows && action !== undefined && progress !== undefined ? (
        <ProgressStrip action={action} progress={progress} />
      ) : null}
      <ProposalContent report={report} proposal={shown} diffEnd={diff.end} />
    </Sheet>
  );
}

interface OutcomeProps {
  readonly decision: ReturnType<typeof useDecision>;
  readonly proposal: Proposal;
  readonly newest: Proposal;
  readonly onTakeNewest: () => void;
  /** Whether the action has ended; how it ended stands below. */
  readonly over: boolean;
}

/** What came of pressing, and whether the world moved meanwhile. */
function Outcome({ decision, proposal, newest, onTakeNewest, over }: OutcomeProps) {
  const { state } = decision;
  return (
    <>
      {newest.id === proposal.id ? null : (
        <div className="note" data-tone="warn" role="alert" data-field="moved">
          <strong>The target changed since you looked.</strong> Revision {newest.revision} replaces this one.{' '}
          <button type="button" className="button" onClick={onTakeNewest}>
            Review again
          </button>
        </div>
      )}
      {state.kind === 'unknown' ? (
        <p className="note" data-tone="warn" role="alert">
          <strong>Unknown, checking.</strong> No answer came; whether the vote was taken is being read. Pressing again
          cannot count twice.
        </p>
      ) : null}
      {state.kind === 'refused' ? (
        <p className="note" data-tone="bad" role="alert" data-field="refused" data-state={state.code}>
          <strong>{state.title}</strong> {state.message}
        </p>
      ) : null}
      {state.kind === 'voted' && !over ? (
        <p className="note" data-tone="good" role="status" data-field="voted">
          {state.proposalState === 'Open'
            ? `Your approval counts: ${state.votes} of ${state.quorum}. Another person is needed.`
            : state.proposalState === 'Denied'
              ? 'Denied. A person has the incident now.'
              : 'Approved. It is being carried out.'}
        </p>
      ) : null}
    </>
  );
}
