import type { Config } from '@hephaisto/core/config/schema';
import type { Clock, Ids, Timers } from '@hephaisto/core/ports/clock';
import type { Database } from '@hephaisto/core/ports/database';
import type { Logger, Metrics, Tracer } from '@hephaisto/core/ports/telemetry';
import type { Component, Switch } from '@hephaisto/core/report/installation';
import type { Received } from '../sources/receive-alertmanager.ts';
import type { ApiCommands } from './commands.ts';
import type { ApiExtension } from './extension.ts';

/** What a bearer token that the cluster issued says about its holder; undefined when the cluster does not accept it. */
export type TokenReview = (
  token: string,
) => Promise<
  | { readonly kind: 'accepted'; readonly username: string; readonly groups: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: 'token-refused' | 'cluster-unavailable'; readonly message: string }
>;

/** Takes one webhook delivery in; `stored` means that it will not be lost. */
export type ReceiveWebhook = (delivery: {
  readonly body: Uint8Array;
  readonly sender: string;
  readonly traceparent?: string | undefined;
}) => Promise<Received>;

/** One thing that must hold before this replica should get requests. */
export interface ReadyCheck {
  readonly name: string;
  readonly ready: boolean;
  readonly message: string;
}

/** Everything outside the API that it uses; `main` binds them. */
export interface ApiDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly config: Pick<Config, 'server' | 'auth' | 'ingest'>;
  readonly version: string;
  readonly commands: ApiCommands;
  /** Absent: the webhook answers that nothing receives here. */
  readonly receiveWebhook?: ReceiveWebhook;
  /** SHA-256 input of the bearer token that Alertmanager must send; absent: every webhook is refused. */
  readonly webhookToken?: string;
  readonly switches: () => Promise<readonly Switch[]>;
  readonly components: () => Promise<readonly Component[]>;
  readonly readiness: () => Promise<readonly ReadyCheck[]>;
  readonly policyHash: () => string | null;
  readonly reviewToken?: TokenReview;
  readonly exposeMetrics: () => Promise<{ readonly contentType: string; readonly body: string }>;
  /** Further routes: the console's files, the demo's stage. */
  readonly extensions?: readonly ApiExtension[];
}
