import type { IncidentReport } from '@hephaisto/core/report/incident';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/reads.ts';
import { rightTo } from '../api/rights.ts';
import { CopyButton } from '../parts/copy.tsx';
import { nextWords, sentence } from '../parts/incident-words.ts';
import { inertText, plainName } from '../parts/inert-text.ts';
import { Tag } from '../parts/tags.tsx';
import { Countdown } from '../parts/time.tsx';
import { ACTION_LOOKS, lookOf, PROPOSAL_LOOKS, riskWords } from '../parts/words.ts';
import { blastLine, undoLine } from '../review/act-words.ts';
import { commandsOf } from '../review/by-hand.ts';
import { actionOfPlan } from './decisions.ts';
import { progressOf } from './progress.ts';
import { ProgressStrip } from './progress-strip.tsx';
import { Settled } from './settled-proposal.tsx';

interface PanelProps {
  readonly report: IncidentReport;
  readonly at: number;
  readonly onReview: (mode: 'approve' | 'deny') => void;
}

/** What is to be done, what it touches, and until when somebody may say yes. */
export function ProposalPanel({ report, at, onReview }: PanelProps) {
  const proposal = report.currentProposal;
  const action =
    proposal === null
      ? report.actions[0]
      : (report.actions.find((each) => each.id === proposal.action.id) ?? report.actions[0]);
  const progress = action === undefined ? undefined : progressOf(action.state);
  const commands = commandsOf(report);
  if (proposal === null && progress === undefined) return <NoAction report={report} commands={commands} />;
  return (
    <section
      className="panel proposal"
      aria-labelledby="proposal"
      data-field="proposal"
      data-state={proposal?.state ?? action?.state}
    >
      <header>
        <h2 id="proposal">{progress === undefined ? 'Proposed action' : 'Action'}</h2>
        {proposal !== null && proposal.state === 'Open' ? <Countdown left={proposal.secondsLeft} since={at} /> : null}
        {proposal !== null && proposal.state !== 'Open' && progress === undefined ? (
          <Tag look={lookOf(PROPOSAL_LOOKS, proposal.state)} raw={proposal.state} field="proposal-state" />
        ) : null}
        {action !== undefined && progress !== undefined ? (
          <Tag look={lookOf(ACTION_LOOKS, action.state)} raw={action.state} field="action-state" />
        ) : null}
      </header>
      <div className="inside">
        <p className="statement wrap-any" data-field="proposal-title">
          {inertText(sentence(proposal?.title ?? action?.type ?? ''))}
        </p>
        {proposal === null ? null : (
          <ul className="consequences">
            <li data-field="blast-radius">{blastLine(proposal)}</li>
            <li data-field="risk" data-state={proposal.action.risk}>
              <span className="tag" data-tone={riskWords(proposal.action.risk).tone}>
                {riskWords(proposal.action.risk).word}
              </span>
            </li>
            <li className="wrap-any" data-field="undo">
              {undoLine(proposal)}
            </li>
          </ul>
        )}
        {action !== undefined && progress !== undefined ? (
          <ProgressStrip action={action} progress={progress} />
        ) : proposal !== null && proposal.state === 'Open' ? (
          <Decide report={report} onReview={onReview} commands={commands} />
        ) : (
          <Settled report={report} commands={commands} onReview={onReview} />
        )}
      </div>
    </section>
  );
}

function Decide({
  report,
  onReview,
  commands,
}: Pick<PanelProps, 'report' | 'onReview'> & { readonly commands: readonly string[] }) {
  const session = useQuery(sessionQuery).data;
  const proposal = report.currentProposal;
  if (proposal === null) return null;
  const asks = proposal.gates.filter((gate) => gate.verdict === 'ask');
  const right = rightTo(session, 'approver', report.namespace);
  const off = right.kind === 'may-not';
  const why = right.kind === 'may-not' ? `Deciding ${right.why}` : undefined;
  const approvals = proposal.votes.filter((vote) => vote.decision === 'approve').length;
  return (
    <>
      <p className="policy soft wrap-any" data-field="policy">
        Needs approval
        {proposal.quorum > 1 ? ` (${approvals} of ${proposal.quorum})` : ''}:{' '}
        {asks.length === 0 ? 'policy asks for a person' : inertText(asks.map(askWords).join('; '))}
      </p>
      <div className="buttons">
        <button type="button" className="button" data-kind="main" onClick={() => onReview('approve')}>
          {off ? 'Review' : 'Review and approve'}
        </button>
        <button type="button" className="button" disabled={off} title={why} onClick={() => onReview('deny')}>
          Deny
        </button>
        {commands.length === 0 ? null : (
          <CopyButton text={commands.join('\n')} what="the commands" label="Do it myself" />
        )}
      </div>
      {right.kind === 'may-not' ? <p className="faint small">Deciding {right.why}. You may read all of it.</p> : null}
    </>
  );
}

/** Where the mode was set stands in the review; here only that it asks for a person. */
function askWords(gate: { readonly code: string; readonly message: string }): string {
  return gate.code === 'approve_mode' ? (gate.message.split(': ')[0] ?? '') : gate.message;
}

function NoAction({ report, commands }: { readonly report: IncidentReport; readonly commands: readonly string[] }) {
  const plan = report.plan;
  const waiting = report.state === 'Investigating' || report.state === 'Detected' || report.state === 'Triaging';
  return (
    <section className="panel proposal" aria-labelledby="proposal" data-field="proposal" data-state="none">
      <header>
        <h2 id="proposal">Proposed action</h2>
        {report.escalationReason === null ? null : (
          <code className="faint" data-field="reason-code">
            {report.escalationReason}
          </code>
        )}
      </header>
      <div className="inside">
        <p className="statement" data-field="proposal-title">
          {waiting ? 'None yet' : report.open ? 'No safe action' : 'None'}
        </p>
        <p className="soft wrap-any">{nextWords(report)}</p>
        {plan?.message === null || plan?.message === undefined ? null : (
          <p className="soft wrap-any">{inertText(sentence(plan.message))}</p>
        )}
        <Refusal action={actionOfPlan(report.actions, plan)} />
        {commands.length === 0 ? null : (
          <>
            <code className="code commands-code">{commands.map(inertText).join('\n')}</code>
            <div className="buttons">
              <CopyButton text={commands.join('\n')} what="the commands" label="Copy commands" />
            </div>
          </>
        )}
      </div>
    </section>
  );
}

/** Which rules of the policy stood against the newest plan: what would have to be otherwise for it to be proposed. */
function Refusal({ action }: { readonly action: IncidentReport['actions'][number] | undefined }) {
  if (action === undefined || action.decision === null || action.decisionReasons.length === 0) return null;
  return (
    <p className="policy soft wrap-any" data-field="policy">
      Policy: {plainName(action.decision).toLowerCase()},{' '}
      {action.decisionReasons.map((code, index) => (
        <span key={code}>
          {index === 0 ? '' : ', '}
          <code>{code}</code>
        </span>
      ))}
    </p>
  );
}
