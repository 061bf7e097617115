import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { OPERATOR } from '../../../operator/src/demo/identity/operator-identity.ts';

/** The name under which the API server knows the operator. */
export const OPERATOR_USER = `system:serviceaccount:${OPERATOR.namespace}:${OPERATOR.serviceAccount}`;

/** One request as the API server's audit log tells it. Instants are milliseconds. */
export interface AuditEntry {
  /** The same in every stage of one request. */
  readonly id: string;
  readonly user: string;
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly dryRun: boolean;
  readonly status: number;
  readonly receivedAt: number;
  readonly stage: 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  readonly uri: string;
  /** Of writes. */
  readonly body: unknown;
}

interface RawEntry {
  readonly auditID: string;
  readonly stage: AuditEntry['stage'];
  readonly verb: string;
  readonly requestURI: string;
  readonly user?: { readonly username?: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
  readonly requestObject?: unknown;
}

const CHANGING = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
/** Questions that the API has its callers ask by creating something that is never stored. */
const QUESTIONS = new Set([
  'selfsubjectaccessreviews',
  'subjectaccessreviews',
  'selfsubjectrulesreviews',
  'tokenreviews',
]);

/** Every request of the operator's identity that the log holds by now, in its order. */
export async function auditOfOperator(auditLog: string): Promise<readonly AuditEntry[]> {
  const mark = `"username":"${OPERATOR_USER}"`;
  const entries: AuditEntry[] = [];
  for await (const line of createInterface({ input: createReadStream(auditLog) })) {
    if (!line.includes(mark)) continue;
    entries.push(entryOf(JSON.parse(line) as RawEntry));
  }
  return entries;
}

function entryOf(raw: RawEntry): AuditEntry {
  const body = raw.requestObject;
  const inBody = typeof body === 'object' && body !== null && 'dryRun' in body && Array.isArray(body.dryRun);
  return {
    id: raw.auditID,
    user: raw.user?.username ?? '',
    verb: raw.verb,
    resource: raw.objectRef?.resource ?? '',
    subresource: raw.objectRef?.subresource ?? '',
    namespace: raw.objectRef?.namespace ?? '',
    name: raw.objectRef?.name ?? '',
    dryRun: /[?&]dryRun=All/.test(raw.requestURI) || inBody,
    status: raw.responseStatus?.code ?? 0,
    receivedAt: Date.parse(raw.requestReceivedTimestamp),
    stage: raw.stage,
    uri: raw.requestURI,
    body,
  };
}

/** Finished requests that could have changed something; questions that are asked by POST are not among them. */
export function writesOf(entries: readonly AuditEntry[]): readonly AuditEntry[] {
  return entries.filter(
    ({ stage, verb, resource }) => stage === 'ResponseComplete' && CHANGING.has(verb) && !QUESTIONS.has(resource),
  );
}

/** Requests that the operator must never make: reading a Secret, or running or attaching to anything in a pod. */
export function forbiddenOf(entries: readonly AuditEntry[]): readonly AuditEntry[] {
  return entries.filter(
    ({ resource, subresource }) =>
      resource === 'secrets' || ['exec', 'attach', 'portforward', 'proxy', 'ephemeralcontainers'].includes(subresource),
  );
}

/** Collections with the number of watches on each that have begun and not ended. The switches' ConfigMap is watched by every replica. */
export function openWatches(entries: readonly AuditEntry[]): Readonly<Record<string, number>> {
  const ended = new Set(entries.filter(({ stage }) => stage !== 'ResponseStarted').map(({ id }) => id));
  const open = entries.filter(
    ({ verb, stage, id }) => verb === 'watch' && stage === 'ResponseStarted' && !ended.has(id),
  );
  const counts: Record<string, number> = {};
  for (const { resource } of open) counts[resource] = (counts[resource] ?? 0) + 1;
  return counts;
}

/** `verb resource/subresource namespace/name (dry run) → status`, for messages. */
export function spell(entry: AuditEntry): string {
  const what = entry.subresource === '' ? entry.resource : `${entry.resource}/${entry.subresource}`;
  return `${entry.verb} ${what} ${entry.namespace}/${entry.name}${entry.dryRun ? ' (dry run)' : ''} → ${entry.status}`;
}
