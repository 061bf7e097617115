import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { incidentQuery } from '../api/reads.ts';
import { type Citation, placeName, placeOf, stretchesOf } from '../incident/evidence-places.ts';
import { kubectlFor, promqlFor, toolWord } from '../incident/kubectl.ts';
import { useCommand } from '../keys/use-keys.ts';
import { CertaintyWord } from '../parts/certainty.tsx';
import { CopyButton, copyText } from '../parts/copy.tsx';
import { Pair } from '../parts/facts.tsx';
import { Icon } from '../parts/icons.tsx';
import { sentence } from '../parts/incident-words.ts';
import { inertText, plainName, valueText } from '../parts/inert-text.ts';
import { OldData, Waiting } from '../parts/query-state.tsx';
import { shortStatement } from '../parts/short-statement.ts';
import { At } from '../parts/time.tsx';
import { usePageTitle } from '../shell/use-page-title.ts';

/** One recorded read, at the quoted place: what was asked, what exactly came back, what was cut. */
export function EvidencePage() {
  const { id, step: stepId } = useParams({ from: '/incidents/$id/evidence/$step' });
  const search = useSearch({ strict: false });
  const navigate = useNavigate({ from: '/incidents/$id/evidence/$step' });
  const incident = useQuery(incidentQuery(id));
  const report = incident.data?.value;
  const place = report === undefined ? undefined : placeOf(report, stepId, search.at);
  usePageTitle(place === undefined ? 'Evidence' : `E${place.step.ordinal} ${toolWord(place.step.tool)}`);
  const kubectl = place === undefined ? undefined : kubectlFor(place.step);
  const command = place === undefined ? undefined : (kubectl ?? promqlFor(place.step));
  const commandName = kubectl === undefined ? 'the query' : 'the command';
  useCommand('back', () => void navigate({ to: '/incidents/$id', params: { id } }));
  useCommand('copy', () => command !== undefined && void copyText(command, commandName));
  if (report === undefined)
    return (
      <section className="panel">
        <h1 className="only-read">Evidence</h1>
        <Waiting query={incident} what="the evidence" lines={8} />
      </section>
    );
  if (place === undefined)
    return (
      <section className="panel">
        <div className="empty">
          <h1>No such step in this incident</h1>
          <Link to="/incidents/$id" params={{ id }}>
            Back to the incident
          </Link>
        </div>
      </section>
    );
  const { step, cited, chosen } = place;
  return (
    <div className="evidence-page" data-field="evidence-viewer" data-step={step.id}>
      <OldData query={incident} />
      <header className="page-title">
        <Link
          to="/incidents/$id"
          params={{ id }}
          className="back"
          aria-label={`#${report.number}: back to the incident`}
        >
          <Icon name="left" />#{report.number}
        </Link>
        <h1>
          E{step.ordinal} {toolWord(step.tool)}
        </h1>
        <span className="soft cut">{inertText(report.title)}</span>
      </header>
      {step.tainted ? (
        <p className="note" data-tone="bad" data-field="tainted">
          <strong>This text addresses its reader.</strong> It was treated as data, here and by whatever judged it.
          Nothing in it was followed.
        </p>
      ) : null}
      <div className="evidence-columns">
        <aside className="panel">
          <div className="inside stack">
            <dl className="pairs">
              <Pair name="source" value={<span data-field="source">{step.tool}</span>} />
              {Object.entries(step.args).map(([name, value]) => (
                <Pair key={name} name={plainName(name)} value={<code data-field="query">{valueText(value)}</code>} />
              ))}
              <Pair name="asked" value={<At instant={step.requestedAt} zone />} />
              <Pair
                name="answered"
                value={step.finishedAt === null ? 'not yet' : <At instant={step.finishedAt} zone />}
              />
              <Pair
                name="status"
                value={`${step.status}${step.errorKind === null ? '' : `: ${plainName(step.errorKind)}`}`}
              />
              <Pair
                name="size"
                value={
                  <span data-field="cut">
                    {sizeText(step.rawBytes)}
                    {step.truncated ? ', cut to what is shown' : ', not cut'}
                  </span>
                }
              />
              <Pair name="redacted" value={<span data-field="redacted">{redactions(step.text ?? '')}</span>} />
              <Pair name="SHA-256" value={<code>{step.sha256 ?? '–'}</code>} />
            </dl>
            <div className="buttons">
              {command === undefined ? null : (
                <CopyButton
                  text={command}
                  what={commandName}
                  label={kubectl === undefined ? 'Copy as PromQL' : 'Copy as kubectl'}
                />
              )}
              {step.rawAvailable ? (
                <a
                  className="button"
                  href={`/api/v1/incidents/${report.id}/steps/${step.id}/raw`}
                  target="_blank"
                  rel="noreferrer"
                >
                  Raw bytes
                </a>
              ) : null}
            </div>
            {command === undefined ? null : <code className="code">{command}</code>}
            <Quotes report={report.number} cited={cited} chosen={chosen} />
          </div>
        </aside>
        <RecordedText text={step.text} excerpts={cited.map((each) => each.excerpt)} chosen={chosen?.excerpt} />
      </div>
    </div>
  );
}

function Quotes({
  report,
  cited,
  chosen,
}: {
  readonly report: number;
  readonly cited: readonly Citation[];
  readonly chosen: Citation | undefined;
}) {
  if (cited.length === 0) return <p className="faint small">No claim quotes this step.</p>;
  return (
    <section aria-label="Quoted by">
      <h2 className="label">Quoted by</h2>
      <ul className="quotes">
        {cited.map((citation) => (
          <li key={placeName(citation)}>
            <Link
              to="/incidents/$id/evidence/$step"
              params={{ id: String(report), step: citation.step.id }}
              search={{ at: placeName(citation) }}
              replace
              data-chosen={citation === chosen}
            >
              <CertaintyWord certainty={citation.finding.certainty} />{' '}
              {inertText(sentence(shortStatement(citation.finding.statement)))}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The stored text, exactly, with the quoted places marked; the chosen one is scrolled to. */
function RecordedText({
  text,
  excerpts,
  chosen,
}: {
  readonly text: string | null;
  readonly excerpts: readonly string[];
  readonly chosen: string | undefined;
}) {
  const mark = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls once for each chosen quotation
  useEffect(() => {
    mark.current?.scrollIntoView({ block: 'center' });
  }, [chosen]);
  if (text === null)
    return (
      <section className="panel">
        <p className="empty">Nothing was recorded: the read did not succeed.</p>
      </section>
    );
  let first = true;
  let position = 0;
  return (
    <section className="panel recorded" aria-label="Recorded text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        {stretchesOf(text, excerpts, chosen).map((stretch) => {
          const key = position;
          position += stretch.text.length;
          if (stretch.quoted === 'no') return inertText(stretch.text);
          const isFirst = stretch.quoted === 'chosen' && first;
          if (isFirst) first = false;
          return (
            <mark key={key} data-state={stretch.quoted} {...(isFirst ? { ref: mark } : {})}>
              {inertText(stretch.text)}
            </mark>
          );
        })}
      </pre>
    </section>
  );
}

function sizeText(bytes: number | null): string {
  if (bytes === null) return 'size not recorded';
  return bytes < 2_048
    ? `${bytes} bytes`
    : bytes < 2_097_152
      ? `${(bytes / 1024).toFixed(1)} KiB`
      : `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

function redactions(text: string): string {
  const count = text.match(/\[redacted[^\]]*\]/g)?.length ?? 0;
  return count === 0 ? 'nothing' : `${count} place${count === 1 ? '' : 's'}`;
}
