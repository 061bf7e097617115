import type { Component, Health } from '@hephaisto/core/report/installation';
import { useQuery } from '@tanstack/react-query';
import { healthQuery, switchesQuery } from '../api/reads.ts';
import { Pair } from '../parts/facts.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { sentence } from '../parts/incident-words.ts';
import { inertText, plainName } from '../parts/inert-text.ts';
import { OldData, Waiting } from '../parts/query-state.tsx';
import { StackedCell, StackedRow, StackedTable } from '../parts/stacked-table.tsx';
import { Ago, At } from '../parts/time.tsx';
import { Wide } from '../parts/wide.tsx';
import { usePageTitle } from '../shell/use-page-title.ts';
import { durationText } from '../time/duration.ts';
import { AlertReceiver } from './alert-receiver.tsx';

const LOOKS: Readonly<
  Record<Component['status'], { readonly word: string; readonly icon: IconName; readonly tone: string }>
> = {
  ok: { word: 'OK', icon: 'check', tone: 'good' },
  degraded: { word: 'Degraded', icon: 'triangle', tone: 'warn' },
  failed: { word: 'Failed', icon: 'octagon', tone: 'bad' },
  off: { word: 'Off', icon: 'slash', tone: 'calm' },
};

/** What is reachable, what is missing, and what is lost by it. */
export function HealthPage() {
  usePageTitle('Health');
  const query = useQuery(healthQuery);
  const health = query.data?.value;
  return (
    <>
      <div className="page-title">
        <h1>Coverage and health</h1>
        {health === undefined ? null : (
          <span className="tag" data-tone={LOOKS[health.status].tone} data-field="health" data-state={health.status}>
            <Icon name={LOOKS[health.status].icon} />
            {LOOKS[health.status].word}
          </span>
        )}
      </div>
      <OldData query={query} />
      {health === undefined ? (
        <section className="panel">
          <Waiting query={query} what="the health" lines={8} />
        </section>
      ) : (
        <div className="stack">
          <section className="panel" aria-label="Parts">
            <header>
              <h2>Parts</h2>
            </header>
            <div className="rows">
              {[...health.components]
                .sort((a, b) => rank(a) - rank(b))
                .map((part) => (
                  <PartRow key={part.name} part={part} />
                ))}
            </div>
          </section>
          <div className="tiles">
            <Intake health={health} />
            <Unreadable health={health} />
            <Queues health={health} />
            <Acting health={health} />
            <Budgets health={health} />
          </div>
          <Switches />
        </div>
      )}
    </>
  );
}

const PART_WORDS: Readonly<Record<string, string>> = {
  database: 'Database',
  stages: 'Stages of the work',
  'set-aside': 'Set aside',
  watch: 'Watch of the cluster',
  webhook: 'Alert webhook',
  'alert-states': 'Alertmanager',
  policy: 'Policy',
  'switch-configmap': 'Switch in the ConfigMap',
  messages: 'Messages',
  model: 'Model',
  prometheus: 'Prometheus',
};

function partWord(name: string): string {
  return PART_WORDS[name] ?? sentence(plainName(name));
}

function rank(part: Component): number {
  return ['failed', 'degraded', 'ok', 'off'].indexOf(part.status);
}

function PartRow({ part }: { readonly part: Component }) {
  const look = LOOKS[part.status];
  return (
    <div className="component-row" data-component={part.name} data-state={part.status}>
      <b title={part.name}>{partWord(part.name)}</b>
      <span className="tag" data-tone={look.tone}>
        <Icon name={look.icon} size={12} />
        {look.word}
      </span>
      <span className="wrap-any">
        {sentence(inertText(part.message))}
        {part.lost === null ? null : <span className="soft">. Lost meanwhile: {inertText(part.lost)}.</span>}
      </span>
      <span className="faint">{part.lastSuccessAt === null ? '' : <Ago instant={part.lastSuccessAt} />}</span>
    </div>
  );
}

function Intake({ health }: { readonly health: Health }) {
  const { lastReceivedAt, pending, poison } = health.intake;
  return (
    <section className="panel tile" aria-label="Alerts">
      <h2>Alerts</h2>
      <dl className="pairs">
        <Pair
          name="last received"
          value={lastReceivedAt === null ? 'never: Alertmanager has not called' : <Ago instant={lastReceivedAt} />}
        />
        <Pair name="to be read" value={pending} />
        <Pair name="refused" value={poison} />
      </dl>
      {lastReceivedAt === null ? <AlertReceiver /> : null}
    </section>
  );
}

const UNREADABLE: Readonly<Record<keyof Health['unreadable'], string>> = {
  bodies: 'alert bodies',
  investigations: 'investigations',
  plans: 'plans',
};

/** Work that ended its process again and again is not tried any more, so somebody has to know of it. */
function Unreadable({ health }: { readonly health: Health }) {
  const counts = Object.entries(UNREADABLE) as [keyof Health['unreadable'], string][];
  return (
    <section className="panel tile" aria-label="Unreadable in the last day">
      <h2>Unreadable in the last day</h2>
      <dl className="pairs">
        {counts.map(([kind, name]) => (
          <Pair
            key={kind}
            name={name}
            value={<span data-field={`unreadable-${kind}`}>{health.unreadable[kind]}</span>}
          />
        ))}
      </dl>
      <p className="soft">Counts work that ended its process again and again, and is not tried any more.</p>
    </section>
  );
}

function Queues({ health }: { readonly health: Health }) {
  return (
    <section className="panel tile" aria-label="Waiting in each stage">
      <h2>Waiting in each stage</h2>
      <dl className="pairs">
        {Object.entries(health.queues).map(([stage, depth]) => (
          <Pair key={stage} name={stage} value={<span className="numbers">{depth}</span>} />
        ))}
      </dl>
    </section>
  );
}

function Acting({ health }: { readonly health: Health }) {
  const { actions } = health;
  return (
    <section className="panel tile" aria-label="Acting">
      <h2>Acting</h2>
      <dl className="pairs">
        <Pair name="actions" value={actions.emergencyStop ? 'stopped' : actions.enabled ? 'on' : 'off'} />
        <Pair name="mode" value={actions.mode} />
        <Pair name="policy" value={<code>{health.policyHash?.slice(0, 12) ?? '–'}</code>} />
        <Pair name="version" value={health.version} />
        <Pair
          name="cluster"
          value={
            health.cluster === null ? 'not known yet' : <span title={health.cluster.id}>{health.cluster.name}</span>
          }
        />
        <Pair name="server’s clock" value={<At instant={health.now} zone />} />
      </dl>
    </section>
  );
}

function Budgets({ health }: { readonly health: Health }) {
  if (health.budgets.length === 0) return null;
  return (
    <section className="panel tile" aria-label="Budgets">
      <h2>Budgets</h2>
      {health.budgets.map((budget) => {
        const part = budget.limit <= 0 ? 1 : Math.min(1, budget.used / budget.limit);
        return (
          <div key={budget.name}>
            <p className="small">
              {budgetWord(budget.name)}:{' '}
              <b className="numbers">
                {budget.used} of {budget.limit}
              </b>{' '}
              <span className="faint">
                {budget.unit === 'count' ? '' : `${budget.unit} `}in {durationText(budget.windowSeconds)}
              </span>
            </p>
            <div className="meter">
              <svg width="100%" height="6" aria-hidden="true">
                <rect
                  width={`${part * 100}%`}
                  height="6"
                  rx="3"
                  className="span"
                  data-tone={part >= 1 ? 'bad' : part > 0.8 ? 'warn' : 'run'}
                />
              </svg>
            </div>
          </div>
        );
      })}
    </section>
  );
}

/** The window stands beside it, so the name need not say it again. */
function budgetWord(name: string): string {
  return sentence(
    plainName(name)
      .replace(/ (day|hour)$/, '')
      .replace(/^actions namespace$/, 'actions in one namespace'),
  );
}

const SWITCH_WORDS: Readonly<Record<string, string>> = {
  agent_mode: 'Mode of acting',
  emergency_stop: 'Emergency stop',
  runaway_latch: 'Runaway latch',
};

function switchWord(name: string): string {
  const kind = /^action_mode[:.](.+)$/.exec(name)?.[1];
  return kind === undefined ? (SWITCH_WORDS[name] ?? sentence(plainName(name))) : `Mode of ${plainName(kind)}`;
}

/** Only the places that say something; the most careful of them is in force. */
function armsWord(arms: Readonly<Record<string, string>>): string {
  const said = Object.entries(arms).filter(([, value]) => value !== 'not set');
  return said.length === 0 ? 'no place of its own' : said.map(([arm, value]) => `${arm}: ${value}`).join(', ');
}

function Switches() {
  const switches = useQuery(switchesQuery).data?.items ?? [];
  if (switches.length === 0) return null;
  return (
    <section className="panel" aria-label="Switches">
      <header>
        <h2>Switches</h2>
      </header>
      <Wide what="Switches, as a table">
        <StackedTable heads={['Switch', 'In force', 'Set in', 'Set by', 'Why']}>
          {switches.map((entry) => (
            <StackedRow key={entry.name} data-switch={entry.name} data-state={entry.effective}>
              <StackedCell>{switchWord(entry.name)}</StackedCell>
              <StackedCell label="in force">
                <b>{entry.effective}</b>
              </StackedCell>
              <StackedCell label="set in">{armsWord(entry.arms)}</StackedCell>
              <StackedCell label="set by">
                {entry.setBy?.name ?? '–'}
                {entry.setAt === null ? null : (
                  <>
                    , <Ago instant={entry.setAt} />
                  </>
                )}
              </StackedCell>
              <StackedCell className="wrap-any" label="why">
                {inertText(entry.reason ?? '–')}
              </StackedCell>
            </StackedRow>
          ))}
        </StackedTable>
      </Wide>
    </section>
  );
}
