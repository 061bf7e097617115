import type { Config } from '@hephaisto/core/config/schema';
import type { Database } from '@hephaisto/core/ports/database';
import type { Component } from '@hephaisto/core/report/installation';
import type { ReadyCheck } from '../api/deps.ts';
import type { StageBoard } from '../flow/stage.ts';
import type { ClusterSource } from '../sources/cluster/cluster-source.ts';
import type { SourceHealth } from '../sources/cluster/health.ts';
import type { SwitchBoard } from '../switches/board.ts';

export interface HealthParts {
  readonly config: Config;
  readonly db: Database;
  readonly source: ClusterSource | undefined;
  readonly board: SwitchBoard;
  readonly stages: StageBoard;
  /** Whether a policy was given in process instead of by a file. */
  readonly policyGiven: boolean;
}

const DATABASE_WORDS: Readonly<Record<Database['kind'], string>> = {
  pglite: 'the embedded database',
  postgres: 'PostgreSQL',
};

const WITHOUT_DATABASE = 'nothing is taken in, decided or done';

/** What this replica can reach and what is lost where it cannot; `off` is a choice of the configuration and no fault. */
export async function readComponents(parts: HealthParts): Promise<readonly Component[]> {
  return [
    await databaseComponent(parts.db),
    await stagesComponent(parts.stages, parts.db),
    await setAsideComponent(parts.db),
    watchComponent(parts.source, parts.config.ingest.watch.enabled),
    webhookComponent(parts.config),
    alertStatesComponent(parts.config),
    policyComponent(parts),
    await configMapComponent(parts),
    messagesComponent(parts.config),
  ];
}

type Draft = Pick<Component, 'name' | 'status' | 'message'> & Partial<Component>;

function component(draft: Draft): Component {
  return { lost: null, lastSuccessAt: null, ...draft };
}

async function databaseComponent(db: Database): Promise<Component> {
  const name = 'database';
  try {
    await db.query('SELECT 1');
    const refused = await db.cannotWrite?.();
    if (refused !== undefined) return component({ name, status: 'failed', message: refused, lost: WITHOUT_DATABASE });
  } catch (error: unknown) {
    const message = error instanceof Error ? error.message : String(error);
    return component({ name, status: 'failed', message, lost: WITHOUT_DATABASE });
  }
  const restart = db.engine?.().recentRestart;
  if (restart === undefined) return component({ name, status: 'ok', message: `${DATABASE_WORDS[db.kind]} answers` });
  return component({
    name,
    status: 'degraded',
    message: `${DATABASE_WORDS[db.kind]} answers; it was restarted at ${restart.at.toISOString()}: ${restart.reason}`,
    lost: 'statements that ran at that moment were given up and are tried again',
  });
}

async function stagesComponent(stages: StageBoard, db: Database): Promise<Component> {
  const failing = stages.failing();
  if (failing.length === 0) return await failingActionsComponent(db);
  return component({
    name: 'stages',
    status: 'degraded',
    message: failing
      .map(({ stage, failures, message }) => `${stage} failed ${failures} times in a row: ${message}`)
      .join('; '),
    lost: `nothing gets past ${failing.map(({ stage }) => stage).join(', ')}`,
  });
}

/** A stage passes although single rows of it fail; those are named here, so that it does not look healthy. */
async function failingActionsComponent(db: Database): Promise<Component> {
  const name = 'stages';
  const lost = 'these actions do not go on; their incidents need a person';
  try {
    const [row] = await db.query<{ failing: number; dead: number; failure: string | null }>(
      `SELECT count(*) FILTER (WHERE dead_letter_at IS NULL)::int AS failing, count(*) FILTER (WHERE dead_letter_at IS NOT NULL)::int AS dead,
         max(failure) AS failure FROM actions
       WHERE (failures > 1 AND dead_letter_at IS NULL AND retry_at > app_now() - interval '10 minutes')
          OR dead_letter_at > app_now() - interval '1 day'`,
    );
    const { failing, dead, failure } = row ?? { failing: 0, dead: 0, failure: null };
    if (failing + dead === 0) return component({ name, status: 'ok', message: 'all pass' });
    const message = `${failing} actions fail repeatedly and ${dead} were given up within a day: ${failure ?? ''}`;
    return component({ name, status: 'degraded', message, lost });
  } catch (error: unknown) {
    const message = error instanceof Error ? error.message : String(error);
    return component({ name, status: 'degraded', message, lost: 'whether actions fail is not known' });
  }
}

async function setAsideComponent(db: Database): Promise<Component> {
  const name = 'set-aside';
  try {
    const [row] = await db.query<{ bodies: number; signals: number }>(
      `SELECT (SELECT count(*)::int FROM intake WHERE status = 'Poison') AS bodies,
         (SELECT count(*)::int FROM signals WHERE disposition = 'poison') AS signals`,
    );
    const { bodies, signals } = row ?? { bodies: 0, signals: 0 };
    if (bodies + signals === 0) return component({ name, status: 'ok', message: 'nothing' });
    return component({
      name,
      status: 'degraded',
      message: `${bodies} webhook bodies and ${signals} signals could not be worked on; read why with GET /api/v1/signals?disposition=poison and in the log`,
      lost: 'what they told of is in no incident',
    });
  } catch (error: unknown) {
    const message = error instanceof Error ? error.message : String(error);
    return component({ name, status: 'degraded', message, lost: 'what was set aside is not known' });
  }
}

function watchComponent(source: ClusterSource | undefined, findsFaults: boolean): Component {
  if (source === undefined)
    return component({
      name: 'watch',
      status: 'off',
      message: 'switched off',
      lost: 'faults are known from alerts only',
    });
  const feeds = source.health();
  const broken = feeds.filter((feed) => feed.state === 'forbidden' || feed.state === 'failing');
  const heard = feeds.flatMap((feed) => feed.lastHeardAt ?? []).sort((a, b) => b.getTime() - a.getTime())[0];
  const lastSuccessAt = heard?.toISOString() ?? null;
  if (broken.length > 0)
    return component({
      name: 'watch',
      status: broken.length === feeds.length ? 'failed' : 'degraded',
      message: broken.map(describeFeed).join('; '),
      lost: broken.map((feed) => feed.lost).join('; '),
      lastSuccessAt,
    });
  if (!findsFaults)
    return component({
      name: 'watch',
      status: 'off',
      message: 'switched off; pods and nodes are only counted',
      lost: 'faults are known from alerts only',
      lastSuccessAt,
    });
  const standby = feeds.every((feed) => feed.state === 'standby');
  return component({
    name: 'watch',
    status: 'ok',
    message: standby ? 'another replica watches, or none yet' : `${feeds.length} collections watched`,
    lastSuccessAt,
  });
}

/** What readiness says of the watches; one that is forbidden keeps nobody waiting and is named all the same. */
function sourcesText(feeds: readonly SourceHealth[], waiting: readonly SourceHealth[]): string {
  const forbidden = feeds.filter((feed) => feed.state === 'forbidden');
  const parts = [
    ...(waiting.length === 0 ? [] : [`waiting for ${waiting.map((feed) => feed.resource).join(', ')}`]),
    ...forbidden.map(
      ({ resource, brokenSince }) =>
        `may not watch ${resource}${brokenSince ? `, since ${brokenSince.toISOString()}` : ''}`,
    ),
  ];
  if (parts.length === 0) return 'synced';
  return `${parts.join('; ')}${forbidden.length === 0 ? '' : '; ready nonetheless for what can be seen: `doctor` says which rights to add'}`;
}

function describeFeed(feed: SourceHealth): string {
  const where = feed.namespace === '' ? '' : ` in ${feed.namespace}`;
  const rule = feed.missing === undefined ? '' : `; add the rule ${JSON.stringify(feed.missing)}`;
  return `${feed.resource}${where} ${feed.state}: ${feed.message ?? 'no reason given'}${rule}`;
}

function webhookComponent({ server }: Config): Component {
  if (server.alertmanager.token !== undefined)
    return component({ name: 'webhook', status: 'ok', message: 'alerts are taken with the configured token' });
  return component({
    name: 'webhook',
    status: 'off',
    message: 'no token is configured (server.alertmanager.tokenFile)',
    lost: 'alerts are refused; faults are known from the watch only',
  });
}

function alertStatesComponent({ acting }: Config): Component {
  if (acting.alertmanager.url !== undefined)
    return component({ name: 'alert-states', status: 'ok', message: `asked at ${acting.alertmanager.url}` });
  return component({
    name: 'alert-states',
    status: 'off',
    message: 'no Alertmanager is configured (acting.alertmanager.url)',
    lost: 'verification does not ask whether the alert is gone',
  });
}

function policyComponent({ config, policyGiven }: HealthParts): Component {
  if (policyGiven || config.acting.policyFile !== undefined)
    return component({ name: 'policy', status: 'ok', message: 'in force' });
  return component({
    name: 'policy',
    status: 'off',
    message: 'no policy file is named (acting.policyFile)',
    lost: 'nothing may be done anywhere',
  });
}

async function configMapComponent({ board, db }: HealthParts): Promise<Component> {
  const readings = await board.readings(db).catch(() => undefined);
  const reading = readings?.configmap;
  if (reading?.kind === 'read') return component({ name: 'switch-configmap', status: 'ok', message: 'followed' });
  return component({
    name: 'switch-configmap',
    status: 'degraded',
    message: reading?.why ?? 'cannot be read',
    lost: 'the mode is at most observe',
  });
}

function messagesComponent({ notify }: Config): Component {
  if (notify.routes.length > 0)
    return component({ name: 'messages', status: 'ok', message: `${notify.routes.length} routes` });
  return component({
    name: 'messages',
    status: 'off',
    message: 'no route is configured',
    lost: 'nobody is told; look at the console',
  });
}

/** Whether this replica should get requests: its database answers and takes writes, and its watch has seen everything it may see. */
export async function readReadiness(
  parts: Pick<HealthParts, 'db' | 'source' | 'stages'>,
): Promise<readonly ReadyCheck[]> {
  const database = await databaseComponent(parts.db);
  const feeds = parts.source?.health() ?? [];
  // A collection that is forbidden is a lost capability, told by health and doctor; a replica must not be out of service for ever for it.
  const waiting = feeds.filter((feed) => !feed.synced && feed.state !== 'standby' && feed.state !== 'forbidden');
  // A stage that fails here fails on every replica: taking all of them out of service would only hide it.
  const stages = await stagesComponent(parts.stages, parts.db);
  return [
    { name: 'database', ready: database.status !== 'failed', message: database.message },
    {
      name: 'sources',
      ready: waiting.length === 0,
      message: sourcesText(feeds, waiting),
    },
    { name: 'stages', ready: true, message: stages.message },
  ];
}
