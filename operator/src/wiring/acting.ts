import type { Config } from '@hephaisto/core/config/schema';
import type { AlertStates } from '@hephaisto/core/ports/alerts';
import type { KubeReader } from '@hephaisto/core/ports/kube';
import type { Leases, RequireEpoch } from '@hephaisto/core/ports/leases';
import { type ActingDeps, type ActingSettings, DEFAULT_ACTING } from '../act/deps.ts';
import type { PolicySource } from '../act/policy-source.ts';
import { createAlertmanagerStates, NO_ALERTMANAGER } from '../adapters/alerts/alertmanager.ts';
import type { KubeConnection } from '../adapters/kube/connection.ts';
import { createKubeWriter } from '../adapters/kube/writer.ts';
import { createAdmitStage } from '../flow/6-admit/stage.ts';
import { createActStage } from '../flow/7-act/stage.ts';
import { createVerifyStage } from '../flow/8-verify/stage.ts';
import type { Stage, StageDeps } from '../flow/stage.ts';
import type { HttpClient } from '../http/client.ts';
import type { SwitchBoard } from '../switches/board.ts';

export interface ActingParts {
  readonly http: HttpClient;
  readonly config: Config;
  readonly connection: KubeConnection;
  readonly reader: KubeReader;
  readonly leases: Leases;
  readonly requireEpoch: RequireEpoch;
  readonly policy: PolicySource;
  readonly switches: SwitchBoard;
  /** Waits that whoever runs the operator in process shortens, and says so. */
  readonly settings: Partial<ActingSettings>;
}

/** What acting uses. The handle that can change the cluster is made here and given to nothing else. */
export function createActing(deps: StageDeps, parts: ActingParts): ActingDeps {
  const { acting, ingest } = parts.config;
  return {
    ...deps,
    leases: parts.leases,
    requireEpoch: parts.requireEpoch,
    reader: parts.reader,
    writer: createKubeWriter(parts.connection, {
      clock: deps.clock,
      ids: deps.ids,
      instance: deps.holder.pod ?? 'hephaisto',
      timeoutMs: acting.callTimeout,
    }),
    alerts: alertStates(parts.http, acting.alertmanager),
    policy: parts.policy,
    switches: parts.switches,
    selfNamespaces: ingest.ownNamespaces,
    settings: { ...DEFAULT_ACTING, leaseTtlMs: acting.lease, recheckMs: acting.recheck, ...parts.settings },
  };
}

/** The stages from the plan to the verified or undone change. */
export function actingStages(deps: ActingDeps): readonly Stage[] {
  return [createAdmitStage(deps), createActStage(deps), createVerifyStage(deps)];
}

function alertStates(http: HttpClient, { url, timeout, token }: Config['acting']['alertmanager']): AlertStates {
  if (url === undefined) return NO_ALERTMANAGER;
  return createAlertmanagerStates({ http, url, timeoutMs: timeout, ...(token === undefined ? {} : { token }) });
}
