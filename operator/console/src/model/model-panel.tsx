import type { IncidentReport } from '@hephaisto/core/report/incident';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { CertaintyWord } from '../parts/certainty.tsx';
import { Icon } from '../parts/icons.tsx';
import { sentence } from '../parts/incident-words.ts';
import { inertText } from '../parts/inert-text.ts';
import { LatestSteps } from './latest-steps.tsx';
import { ModelFigures } from './model-figures.tsx';
import { type Look, modelWord } from './model-words.ts';
import { StopSheet } from './stop-sheet.tsx';

/** Who looked, what each said, and what it took. Without a model it is one sentence: there is nothing else to show. */
export function ModelPanel({ report }: { readonly report: IncidentReport }) {
  const [latest] = report.investigations;
  if (latest === undefined) return null;
  if (latest.model.reason === 'not-configured')
    return (
      <p className="no-model small faint" data-field="model" data-state="not-configured">
        No model looked: {latest.model.message}.
      </p>
    );
  return <Looked report={report} look={latest} />;
}

function Looked({ report, look }: { readonly report: IncidentReport; readonly look: Look }) {
  const [stopping, setStopping] = useState(false);
  const { model } = look;
  const word = modelWord(model.reason);
  const running = look.state === 'Running' || look.state === 'Queued';
  const calls = report.investigations.some((each) => each.model.calls > 0) || report.plan?.use != null;
  return (
    <section className="panel looked" aria-labelledby="looked" data-field="model" data-state={model.reason}>
      <header>
        <h2 id="looked">Who looked</h2>
        <span className="looked-links">
          {calls ? (
            <Link to="/incidents/$id/transcript" params={{ id: String(report.number) }} data-field="transcript-link">
              What was sent
            </Link>
          ) : null}
          {running ? (
            <button type="button" className="link" data-field="stop-look" onClick={() => setStopping(true)}>
              Stop looking
            </button>
          ) : null}
        </span>
      </header>
      <div className="inside">
        <ul className="witnesses">
          <Witness name="Rules" look={look} saidBy="rules" otherwise={rulesSay(look, running)} />
          <Witness name={inertText(model.model ?? 'Model')} look={look} saidBy="model" otherwise={modelSays(look)}>
            <span className="tag" data-tone={word.tone} data-field="model-state">
              {word.word}
            </span>
          </Witness>
          {report.plan?.use == null ? null : (
            <li data-by="planner">
              <b className="who">Planner</b>
              <span className="wrap-any">
                {report.plan.status === 'accepted'
                  ? 'Its plan was taken'
                  : sentence(inertText(report.plan.message ?? 'no plan'))}
              </span>
            </li>
          )}
        </ul>
        <ModelFigures look={look} planner={report.plan?.use ?? null} />
        {running ? <LatestSteps report={report} look={look} /> : null}
      </div>
      {stopping ? <StopSheet look={look} onClose={() => setStopping(false)} /> : null}
    </section>
  );
}

/** What rules found is known once the whole look has ended. */
function rulesSay({ model }: Look, running: boolean): string {
  if (!running) return 'found nothing';
  return model.calls === 0 ? 'reading' : 'have looked; what they found is told with the conclusion';
}

/** What stands in place of a claim of the model: what it is doing, what it said in sum, or why none looked. */
function modelSays({ model }: Look): string {
  const message = inertText(model.message);
  return model.looked || model.reason === 'waiting' || model.reason === 'under-way'
    ? message
    : `no model looked: ${message}`;
}

interface WitnessProps {
  readonly name: string;
  readonly look: Look;
  readonly saidBy: 'rules' | 'model';
  readonly otherwise: string;
  readonly children?: React.ReactNode;
}

/** One who looked: the first thing said that stands, else that nothing was. */
function Witness({ name, look, saidBy, otherwise, children }: WitnessProps) {
  const own = look.findings.filter((finding) => finding.saidBy === saidBy);
  const said = own.find((finding) => finding.primary) ?? own.find((finding) => finding.status === 'grounded');
  const dropped = own.filter((finding) => finding.status === 'dropped').length;
  return (
    <li data-by={saidBy}>
      <b className="who wrap-any">{name}</b>
      <span className="said">
        {children}
        {said === undefined ? (
          <span className="soft wrap-any">{sentence(otherwise)}</span>
        ) : (
          <>
            <CertaintyWord certainty={said.certainty} />
            <span className="wrap-any">{inertText(sentence(said.statement))}</span>
          </>
        )}
        {dropped === 0 ? null : (
          <span className="faint">
            <Icon name="cross" size={12} /> {dropped} claim{dropped === 1 ? '' : 's'} dropped: no quotation stands
          </span>
        )}
      </span>
    </li>
  );
}
