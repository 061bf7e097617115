import type { IncidentReport } from '@hephaisto/core/report/incident';
import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icons.tsx';
import { inertText } from '../parts/inert-text.ts';
import { type Citation, oneOfEachStep, placeName } from './evidence-places.ts';
import { toolWord } from './kubectl.ts';

interface ChipsProps {
  readonly report: Pick<IncidentReport, 'number'>;
  readonly citations: readonly Citation[];
}

/** One chip for each quoted step; opens the recorded step at the quoted place. */
export function EvidenceChips({ report, citations }: ChipsProps) {
  return oneOfEachStep(citations).map(({ citation, count }) => (
    <Link
      key={placeName(citation)}
      className="chip"
      to="/incidents/$id/evidence/$step"
      params={{ id: String(report.number), step: citation.step.id }}
      search={{ at: placeName(citation) }}
      title={inertText(citation.excerpt)}
      aria-label={`E${citation.step.ordinal} ${toolWord(citation.step.tool)}${count === 1 ? '' : ` ×${count}`}: evidence`}
    >
      <Icon name="quote" size={11} />
      <span className="cut">
        E{citation.step.ordinal} {toolWord(citation.step.tool)}
      </span>
      {count === 1 ? null : <span className="faint numbers">×{count}</span>}
    </Link>
  ));
}
