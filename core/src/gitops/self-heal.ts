import { redactText } from '../evidence/redact.ts';
import { type Raw, recordAt, recordsAt, stringMapAt, textAt } from '../facts/raw.ts';
import { cleanText, clip } from '../signal/clean-text.ts';

/** Where an object is declared, as the delivery tool's own object shows it. */
export interface GitOpsSource {
  readonly repository?: string;
  readonly revision?: string;
  readonly path?: string;
}

/** Whether the tool takes a change back that was made in the cluster alone, without anybody's doing. */
export interface GitOpsState {
  readonly selfHeal: 'on' | 'off';
  readonly source: GitOpsSource;
}

/** An Argo CD Application heals by itself only when its sync is automated and `selfHeal` is set. */
export function applicationState(application: Raw): GitOpsState {
  const spec = recordAt(application, 'spec');
  const policy = recordAt(spec, 'syncPolicy');
  const automated = recordAt(policy, 'automated');
  const on = policy.automated !== undefined && automated.enabled !== false && automated.selfHeal === true;
  const source = spec.source === undefined ? (recordsAt(spec, 'sources')[0] ?? {}) : recordAt(spec, 'source');
  const wanted = textAt(source, 'targetRevision');
  const synced = textAt(recordAt(application, 'status', 'sync'), 'revision');
  return {
    selfHeal: on ? 'on' : 'off',
    source: sourceOf(
      textAt(source, 'repoURL'),
      revisionText(wanted, synced),
      textAt(source, 'path') ?? textAt(source, 'chart'),
    ),
  };
}

/** Flux corrects every difference at each interval, unless the Kustomization is suspended or the object is left out. */
export function kustomizationState(kustomization: Raw, declared: Raw): GitOpsState {
  const spec = recordAt(kustomization, 'spec');
  const marks = stringMapAt(recordAt(declared, 'metadata'), 'annotations');
  const leftOut =
    marks['kustomize.toolkit.fluxcd.io/reconcile'] === 'disabled' ||
    ['Ignore', 'IfNotPresent'].includes(marks['kustomize.toolkit.fluxcd.io/ssa'] ?? '');
  const ref = recordAt(spec, 'sourceRef');
  return {
    selfHeal: spec.suspend === true || leftOut ? 'off' : 'on',
    source: sourceOf(
      sourceName(ref),
      textAt(recordAt(kustomization, 'status'), 'lastAppliedRevision'),
      textAt(spec, 'path'),
    ),
  };
}

/** A HelmRelease corrects differences only where drift detection is switched on. */
export function helmReleaseState(release: Raw): GitOpsState {
  const spec = recordAt(release, 'spec');
  const on = spec.suspend !== true && recordAt(spec, 'driftDetection').mode === 'enabled';
  const chart = recordAt(spec, 'chart', 'spec');
  const ref = spec.chartRef === undefined ? recordAt(chart, 'sourceRef') : recordAt(spec, 'chartRef');
  const last = recordsAt(recordAt(release, 'status'), 'history')[0] ?? {};
  const revision = textAt(last, 'chartVersion') ?? textAt(recordAt(release, 'status'), 'lastAppliedRevision');
  return {
    selfHeal: on ? 'on' : 'off',
    source: sourceOf(sourceName(ref), revision ?? textAt(chart, 'version'), textAt(chart, 'chart')),
  };
}

/** The object that holds the address of a Flux source, where it may be read. */
export function sourceRefOf(owner: Raw): { readonly kind: string; readonly name: string; readonly namespace?: string } {
  const spec = recordAt(owner, 'spec');
  const chart = spec.chartRef === undefined ? recordAt(spec, 'chart', 'spec', 'sourceRef') : recordAt(spec, 'chartRef');
  const ref = spec.sourceRef === undefined ? chart : recordAt(spec, 'sourceRef');
  const namespace = textAt(ref, 'namespace');
  return {
    kind: textAt(ref, 'kind') ?? '',
    name: textAt(ref, 'name') ?? '',
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** The same source with the address of its repository instead of the name of the object that holds it. */
export function withAddress(source: GitOpsSource, holder: Raw): GitOpsSource {
  const url = shown(textAt(recordAt(holder, 'spec'), 'url'));
  return url === undefined ? source : { ...source, repository: url };
}

function sourceName(ref: Raw): string | undefined {
  const name = textAt(ref, 'name');
  return name === undefined ? undefined : `${textAt(ref, 'kind') ?? 'source'} ${name}`;
}

function revisionText(wanted: string | undefined, synced: string | undefined): string | undefined {
  if (wanted === undefined || synced === undefined || wanted === synced) return wanted ?? synced;
  return `${wanted} (synced ${synced})`;
}

function sourceOf(
  repository: string | undefined,
  revision: string | undefined,
  path: string | undefined,
): GitOpsSource {
  const parts = { repository: shown(repository), revision: shown(revision), path: shown(path) };
  return Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== undefined));
}

const MAX_SHOWN = 200;
/** Longer texts are cut before they are redacted, which costs time. */
const MAX_READ = 4_096;

/** Text of other people's objects for a sentence: short, without control characters and without credentials of an address. */
function shown(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  // Userinfo ends with an @. Cut before it is found, a long token would be shown as the host.
  const plain = cleanText(withoutUserinfo(text).slice(0, MAX_READ)).replaceAll(/\p{C}/gu, '');
  return clip(redactText(plain), MAX_SHOWN);
}

function withoutUserinfo(address: string): string {
  const start = address.indexOf('://');
  if (start < 0) return address;
  const slash = address.indexOf('/', start + 3);
  const host = address.slice(start + 3, slash < 0 ? undefined : slash);
  const path = slash < 0 ? '' : address.slice(slash);
  return `${address.slice(0, start + 3)}${host.slice(host.lastIndexOf('@') + 1)}${path}`;
}
