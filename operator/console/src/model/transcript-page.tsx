import type { Transcript, TranscriptTurn } from '@hephaisto/core/report/transcript';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { call } from '../api/call.ts';
import { incidentQuery } from '../api/reads.ts';
import { useCommand } from '../keys/use-keys.ts';
import { Pair } from '../parts/facts.tsx';
import { Icon } from '../parts/icons.tsx';
import { sentence } from '../parts/incident-words.ts';
import { inertText, plainName } from '../parts/inert-text.ts';
import { Waiting } from '../parts/query-state.tsx';
import { At } from '../parts/time.tsx';
import { usePageTitle } from '../shell/use-page-title.ts';
import { dollars } from './model-words.ts';
import { bytesText, SentCall } from './sent-call.tsx';

/** Everything of one incident that left the cluster: to whom, what exactly, what came back, who has read this. */
export function TranscriptPage() {
  const { id } = useParams({ from: '/incidents/$id/transcript' });
  const navigate = useNavigate({ from: '/incidents/$id/transcript' });
  const incident = useQuery(incidentQuery(id));
  const transcript = useQuery({
    queryKey: ['transcript', id],
    queryFn: ({ signal }) =>
      call<Transcript>('GET', `/api/v1/incidents/${encodeURIComponent(id)}/transcript`, { signal }),
    // Each reading is on record, so it is read when somebody asks and not by itself.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const report = incident.data?.value;
  usePageTitle(`What was sent for #${report?.number ?? id}`);
  useCommand('back', () => void navigate({ to: '/incidents/$id', params: { id } }));
  const sent = transcript.data;
  return (
    <div className="transcript" data-field="transcript">
      <header className="page-title">
        <Link
          to="/incidents/$id"
          params={{ id }}
          className="back"
          aria-label={`#${report?.number ?? id}: back to the incident`}
        >
          <Icon name="left" />#{report?.number ?? id}
        </Link>
        <h1>What was sent to a model</h1>
        <span className="soft cut">{inertText(report?.title ?? '')}</span>
      </header>
      {sent === undefined ? (
        <section className="panel">
          <Waiting query={transcript} what="the transcript" lines={8} />
        </section>
      ) : sent.turns.every((turn) => turn.calls.length === 0) ? (
        <section className="panel">
          <div className="empty" data-field="nothing-sent">
            <h2>Nothing has left the cluster for this incident</h2>
            <p className="soft">
              {sentence(inertText(report?.investigations[0]?.model.message ?? 'no model was asked'))}.
            </p>
            <Link to="/incidents/$id" params={{ id }}>
              Back to the incident
            </Link>
          </div>
        </section>
      ) : (
        <>
          <Summary sent={sent} onAgain={() => void transcript.refetch()} />
          {sent.turns.map((turn) => (
            <Turn key={turn.id} turn={turn} />
          ))}
        </>
      )}
    </div>
  );
}

function Summary({ sent, onAgain }: { readonly sent: Transcript; readonly onAgain: () => void }) {
  const calls = sent.turns.flatMap((turn) => turn.calls);
  const recipients = [...new Set(calls.map(({ recipient }) => `${recipient.model} at ${recipient.host}`))];
  const redactions = calls.reduce((sum, each) => sum + each.sent.redactions, 0);
  const readers = [...new Map(sent.readBy.map((each) => [each.actor, each])).values()];
  return (
    <section className="panel" aria-label="In sum">
      <div className="inside transcript-sum">
        <dl className="pairs">
          <Pair
            name="read by the model"
            value={<span data-field="recipient">{recipients.map(inertText).join(', ')}</span>}
          />
          <Pair
            name="sent"
            value={
              <span className="numbers">
                {bytesText(sent.bytesSent)} in {calls.length} call{calls.length === 1 ? '' : 's'}
              </span>
            }
          />
          <Pair
            name="taken out before"
            value={
              <span data-field="redactions">
                {redactions === 0
                  ? 'nothing had to be'
                  : `${redactions} place${redactions === 1 ? '' : 's'}, marked below`}
              </span>
            }
          />
          <Pair name="cost" value={<span className="numbers">{dollars(sent.costUsd)}</span>} />
          <Pair
            name="read by people"
            value={
              <span data-field="read-by">
                {readers.slice(0, 5).map((reader, index) => (
                  <span key={reader.actor}>
                    {index === 0 ? '' : ', '}
                    {inertText(reader.actor)} <At instant={reader.at} />
                  </span>
                ))}
                {readers.length > 5 ? ` and ${readers.length - 5} more` : ''}
              </span>
            }
          />
        </dl>
        <button type="button" className="button" onClick={onAgain}>
          Read again
        </button>
      </div>
    </section>
  );
}

const TURN_TITLES: Readonly<Record<string, string>> = { investigation: 'Investigation', planner: 'Plan' };

function Turn({ turn }: { readonly turn: TranscriptTurn }) {
  if (turn.calls.length === 0) return null;
  const title = TURN_TITLES[turn.kind] ?? sentence(turn.kind);
  return (
    <section className="panel" aria-label={title} data-turn={turn.kind}>
      <header>
        <h2>{title}</h2>
        <span className="faint small">
          {turn.tools.length === 0 ? 'without tools' : `${turn.tools.length} tools, all of them read only`}
          {turn.endReason === null ? '' : ` · ended: ${plainName(turn.endReason)}`}
        </span>
      </header>
      <ol className="sent-calls">
        {turn.calls.map((each) => (
          <SentCall key={each.id} call={each} />
        ))}
      </ol>
    </section>
  );
}
