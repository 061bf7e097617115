import { readFileSync, writeFileSync } from 'node:fs';
import type { Asked } from './api.ts';

const COVERED_FILE = new URL('covered.gen.json', import.meta.url);

/**
 * One kind of request: verb, resource, subresource, patch type and status, as one line. What a layer in front of all resources
 * answers alike is one kind for all of them: who may not get in (401), who may not do it (403), and a revision that is gone (410).
 */
export function requestKind({ verb, group, resource, subresource, patchType, status }: Asked): string {
  if (status === 401 || status === 403) return `* * ${status}`;
  if (status === 410) return `${verb} * 410`;
  const type = group === '' ? resource : `${resource}.${group}`;
  const what = subresource === '' ? type : `${type}/${subresource}`;
  const how = patchType === undefined ? '' : ` ${patchType.split(';')[0]?.trim()}`;
  return `${verb} ${what}${how} ${status}`;
}

/** Answers that only a fault put in on purpose gives: no contract can show them on a healthy cluster. */
function isInjected({ status, subresource }: Asked): boolean {
  return status === 0 || status >= 500 || (status === 429 && subresource !== 'eviction');
}

/** The kinds of request that some case has compared on both clusters. */
export function coveredKinds(): ReadonlySet<string> {
  return new Set(JSON.parse(readFileSync(COVERED_FILE, 'utf8')) as string[]);
}

export function writeCovered(kinds: Iterable<string>): void {
  writeFileSync(COVERED_FILE, `${JSON.stringify([...kinds].sort(), null, 1)}\n`);
}

/**
 * The kinds among these requests that no case of the contract covers, each once and sorted: empty when a suite stayed within what the
 * contract has compared. Takes records of the simulated cluster as they are, or what `fromAudit` makes of the real one's log.
 */
export function uncovered(requests: Iterable<Asked>): readonly string[] {
  const covered = coveredKinds();
  const found = new Set<string>();
  for (const each of requests) {
    if (each.resource === '' || isInjected(each)) continue;
    const kind = requestKind(each);
    if (!covered.has(kind)) found.add(kind);
  }
  return [...found].sort();
}

interface AuditLine {
  readonly verb: string;
  readonly stage: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly apiGroup?: string; readonly resource?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
}

/** The control plane's own parts, which speak to each other in ways that no simulation has to answer. */
const COMPONENTS = /^kube-(scheduler|controller-manager|apiserver)\//;

/**
 * The requests of an API server's audit log, given as text, without those of the control plane itself. The log does not tell a patch's type; the product and the demo send JSON
 * Patch, so that is assumed.
 */
export function fromAudit(log: string): readonly Asked[] {
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditLine)
    .filter(({ stage }) => stage === 'ResponseComplete' || stage === 'ResponseStarted')
    .filter(({ userAgent = '' }) => !COMPONENTS.test(userAgent))
    .map(({ verb, objectRef = {}, responseStatus }) => ({
      verb,
      group: objectRef.apiGroup ?? '',
      resource: objectRef.resource ?? '',
      subresource: objectRef.subresource ?? '',
      ...(verb === 'patch' ? { patchType: 'application/json-patch+json' } : {}),
      status: responseStatus?.code ?? 0,
    }));
}
