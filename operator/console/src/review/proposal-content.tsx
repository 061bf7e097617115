import type { Proposal } from '@hephaisto/core/report/action';
import type { IncidentReport } from '@hephaisto/core/report/incident';
import type { RefObject } from 'react';
import { EvidenceChips } from '../incident/evidence-chips.tsx';
import { citationsOf, verdictFinding } from '../incident/evidence-places.ts';
import { nextCheck } from '../incident/progress.ts';
import { CertaintyWord } from '../parts/certainty.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { sentence } from '../parts/incident-words.ts';
import { inertText } from '../parts/inert-text.ts';
import { Ago } from '../parts/time.tsx';
import { riskWords } from '../parts/words.ts';
import { blastLine, callLine, digestWords, undoLine, undoValues } from './act-words.ts';
import { commandsOf } from './by-hand.ts';
import { DiffView } from './diff-view.tsx';
import { Gates } from './gates.tsx';

interface ContentProps {
  readonly report: IncidentReport;
  readonly proposal: Proposal;
  readonly diffEnd: RefObject<HTMLDivElement | null>;
}

/** What will be sent, what it touches, why policy asks, how it is undone, how one will know. All of it from the frozen proposal. */
export function ProposalContent({ report, proposal, diffEnd }: ContentProps) {
  const { target } = proposal.action;
  const found = verdictFinding(report);
  const risk = riskWords(proposal.action.risk);
  return (
    <div className="content">
      <div className="what">
        <p className="statement wrap-any">{inertText(sentence(proposal.title))}</p>
        <p className="soft small wrap-any">
          {target.kind} {inertText(target.namespace)}/{inertText(target.name)} in {inertText(report.cluster.name)} ·
          read <Ago instant={proposal.createdAt} /> ·{' '}
          {proposal.revision > 1 ? `proposed anew, revision ${proposal.revision} · ` : ''}
          <span className="tag" data-tone={risk.tone} data-field="risk" data-state={proposal.action.risk}>
            {risk.word}
          </span>{' '}
          · digest{' '}
          <code data-field="digest" title={proposal.digest}>
            {digestWords(proposal.digest)}
          </code>
        </p>
      </div>
      <section>
        <h3>What changes</h3>
        <p className="soft small">
          {callLine(proposal.request)} · {dryRunWords(proposal)}
        </p>
        <DiffView diff={proposal.diff} raw={JSON.stringify(proposal.request, null, 2)} end={diffEnd} />
      </section>
      <section data-field="blast-radius">
        <h3>Blast radius</h3>
        <p>{sentence(blastLine(proposal))}</p>
      </section>
      <section>
        <h3>Why policy asks</h3>
        <Gates gates={proposal.gates} />
      </section>
      <section data-field="undo">
        <h3>If it goes wrong</h3>
        <Undo proposal={proposal} />
      </section>
      <section data-field="how-known">
        <h3>How we will know</h3>
        <HowKnown report={report} proposal={proposal} />
      </section>
      {report.verdict === null ? null : (
        <section>
          <h3>Why</h3>
          <p className="wrap-any">
            <CertaintyWord certainty={report.verdict.certainty} /> {inertText(sentence(report.verdict.statement))}{' '}
            <span className="faint">
              ({report.verdict.rule === null ? 'a model’s words' : `rule ${report.verdict.rule}`})
            </span>
          </p>
          {found === undefined ? null : (
            <div className="chips">
              <EvidenceChips report={report} citations={citationsOf(found.investigation, found.finding)} />
            </div>
          )}
        </section>
      )}
      <ByHand commands={commandsOf(report)} />
      <details className="more">
        <summary>The frozen text that the digest is of</summary>
        <CopyButton text={proposal.canonical} what="the frozen text" label="Copy" />
        <code className="code">{inertText(proposal.canonical)}</code>
      </details>
    </div>
  );
}

function ByHand({ commands }: { readonly commands: readonly string[] }) {
  if (commands.length === 0) return null;
  return (
    <section data-field="by-hand">
      <h3>Do it by hand instead</h3>
      <code className="code">{commands.map(inertText).join('\n')}</code>
      <div className="buttons">
        <CopyButton text={commands.join('\n')} what="the commands" label="Copy commands" />
      </div>
    </section>
  );
}

function dryRunWords(proposal: Proposal): string {
  if (proposal.dryRun === null) return 'the server’s dry run was not recorded';
  const accepted = proposal.dryRun.accepted;
  const warnings = Array.isArray(proposal.dryRun.warnings) ? `, ${proposal.dryRun.warnings.length} warnings` : '';
  return `the server’s dry run ${accepted === false ? 'refused it' : 'accepted it'}${warnings}`;
}

function Undo({ proposal }: { readonly proposal: Proposal }) {
  const values = undoValues(proposal.undo);
  return (
    <>
      <p className="wrap-any">{sentence(undoLine(proposal))}.</p>
      {values.length === 0 ? null : (
        <>
          <p className="soft small">
            It is put back by itself when the last check fails and what is there is still what was written.
          </p>
          <details className="more">
            <summary>What exactly would be put back</summary>
            {values.map((value) => (
              <div key={value.path}>
                <code className="path">{inertText(value.path)}</code>
                <code className="code">{inertText(value.prior)}</code>
              </div>
            ))}
          </details>
        </>
      )}
    </>
  );
}

const QUESTIONS: Readonly<Record<string, string>> = {
  obvious_break: 'soon after, that nothing is plainly worse',
  converged: 'once it has settled, that the workload is as wanted and the change is in place',
  came_back: 'after a while, that the symptom is gone, its alert resolved, and neither came back',
};

/** The checks as scheduled where they are, else the three questions that every action is asked. */
function HowKnown({ report, proposal }: { readonly report: IncidentReport; readonly proposal: Proposal }) {
  const action = report.actions.find((each) => each.id === proposal.action.id);
  const planned = action?.verifications ?? [];
  const next = action === undefined ? undefined : nextCheck(action);
  return (
    <>
      <p className="soft">Three checks, each by fresh measurements:</p>
      <ol className="questions">
        {Object.entries(QUESTIONS).map(([question, words]) => {
          const check = planned.find((each) => each.question === question && each.subject === 'action');
          return (
            <li key={question}>
              {words}
              {check?.result === null || check?.result === undefined ? '' : `: ${check.result.toLowerCase()}`}
              {next !== undefined && next === check ? <span className="faint"> (next)</span> : null}
            </li>
          );
        })}
      </ol>
      <p className="faint small">
        The incident is resolved only when the last one passes; what is unclear is never taken for good.
      </p>
    </>
  );
}
