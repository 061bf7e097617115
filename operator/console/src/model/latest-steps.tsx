import type { IncidentReport } from '@hephaisto/core/report/incident';
import { Link } from '@tanstack/react-router';
import { toolWord } from '../incident/kubectl.ts';
import { factsLine } from '../parts/facts.tsx';
import { Icon } from '../parts/icons.tsx';
import { plainName } from '../parts/inert-text.ts';
import type { Look } from './model-words.ts';

const SHOWN = 5;

/** What is being read, as it happens; all of it stands under Evidence. */
export function LatestSteps({ report, look }: { readonly report: IncidentReport; readonly look: Look }) {
  const latest = look.steps.slice(-SHOWN);
  if (latest.length === 0) return null;
  return (
    <ol className="latest-steps" aria-label="Latest reads" aria-live="polite" data-field="latest-steps">
      {latest.map((step) => (
        <li key={step.id} data-state={step.status}>
          <Icon name={step.finishedAt === null ? 'pulse' : step.status === 'ok' ? 'check' : 'gap'} size={12} />
          <Link to="/incidents/$id/evidence/$step" params={{ id: String(report.number), step: step.id }}>
            <b className="numbers">E{step.ordinal}</b> {toolWord(step.tool)}
          </Link>
          <span className="faint cut">{factsLine(step.args)}</span>
          {step.finishedAt === null ? (
            <span className="faint">reading</span>
          ) : step.status === 'ok' ? null : (
            <span className="tag" data-tone="warn">
              {plainName(step.errorKind ?? step.status)}
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}
