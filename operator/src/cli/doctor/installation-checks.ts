import { existsSync } from 'node:fs';
import type { Config } from '@hephaisto/core/config/schema';
import { createAlertmanagerStates } from '../../adapters/alerts/alertmanager.ts';
import { createHttpClient } from '../../http/client.ts';
import { loadPolicy } from '../../wiring/policy.ts';
import { openStorage } from '../../wiring/storage.ts';
import { type DoctorFinding, found, missing, off } from './finding.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** The database. A folder that is not there yet is not made: looking must leave nothing behind. A folder that a running operator holds is not opened but taken for what it is: in use. */
export async function checkDatabase(config: Config['database']): Promise<DoctorFinding> {
  if (config.kind === 'embedded' && !existsSync(config.folder))
    return found('database', `${config.folder} does not exist yet and is made by the first \`run\``);
  try {
    const db = await openStorage(config, SILENT, () => undefined);
    try {
      const rows = await db.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
      return found('database', `${db.kind} ${rows[0]?.version ?? ''} answers`);
    } finally {
      await db.close();
    }
  } catch (error: unknown) {
    const message = error instanceof Error ? error.message : String(error);
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'DataFolderLocked')
      return found('database', `${config.folder} is in use by a running operator`);
    return missing(
      'database',
      message,
      'nothing can be kept, so nothing runs',
      'set database.kind and database.folder or database.urlFile',
    );
  }
}

/** The policy file, whether it can be read and understood. */
export async function checkPolicy(config: Config['acting']): Promise<DoctorFinding> {
  if (config.policyFile === undefined)
    return off('policy', 'no policy file is named', 'nothing may be done anywhere', 'set acting.policyFile');
  try {
    const policy = (await loadPolicy(config.policyFile, undefined)).current();
    return found('policy', `${policy.policy.namespaces.length} namespace rules, hash ${policy.hash.slice(0, 12)}`);
  } catch (error: unknown) {
    const message = error instanceof Error ? error.message : String(error);
    return missing('policy', message, 'the operator does not start', `mend ${config.policyFile}`);
  }
}

export function checkWebhook(config: Config['server']): DoctorFinding {
  if (config.alertmanager.token !== undefined) return found('webhook', 'a token for Alertmanager is configured');
  return off(
    'webhook',
    'no token for Alertmanager is configured',
    'alerts are refused',
    'set server.alertmanager.tokenFile',
  );
}

/** Whether the Alertmanager that verification asks answers. */
export async function checkAlertStates(config: Config['acting']['alertmanager']): Promise<DoctorFinding> {
  if (config.url === undefined)
    return off(
      'alert-states',
      'no Alertmanager is configured',
      'verification does not ask whether the alert is gone',
      'set acting.alertmanager.url',
    );
  const http = createHttpClient();
  const states = createAlertmanagerStates({
    http,
    url: config.url,
    timeoutMs: config.timeout,
    ...(config.token && { token: config.token }),
  });
  const answer = await states.stillFiring([{ labels: { alertname: 'Watchdog' } }]);
  http.close();
  if (answer.kind === 'answered') return found('alert-states', `${config.url} answers`);
  const message = answer.kind === 'unreachable' ? answer.message : 'not configured';
  return missing(
    'alert-states',
    message,
    'verification stays inconclusive',
    `check acting.alertmanager.url (${config.url}) and its token`,
  );
}

export function checkMessages(config: Config['notify']): DoctorFinding {
  if (config.routes.length > 0)
    return found('messages', `${config.routes.length} routes to ${config.webhooks.length} endpoints`);
  return off(
    'messages',
    'no route is configured',
    'nobody is told; somebody has to look',
    'set notify.webhooks and notify.routes',
  );
}
