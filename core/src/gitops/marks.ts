import { asRecord, type Raw, recordAt, recordsAt, stringMapAt, textAt } from '../facts/raw.ts';

export const GITOPS_TOOLS = ['Argo CD', 'Flux', 'Helm'] as const;
export type GitOpsTool = (typeof GITOPS_TOOLS)[number];

export const GITOPS_OWNER_KINDS = ['Application', 'Kustomization', 'HelmRelease', 'Helm release'] as const;
export type GitOpsOwnerKind = (typeof GITOPS_OWNER_KINDS)[number];

/** Names the object that declares another one. The namespace is absent where the marks do not name it. */
export interface GitOpsRef {
  readonly kind: GitOpsOwnerKind;
  readonly name: string;
  readonly namespace?: string;
}

/** An object shows that a delivery tool declares it, and where. */
export interface GitOpsMark {
  readonly tool: GitOpsTool;
  /** Absent where the object shows the tool but not what of it. */
  readonly owner?: GitOpsRef;
  /** The label, annotation, owner or field manager that shows it. */
  readonly shownBy: string;
}

/** Field managers under which the tools write. */
const MANAGERS: Readonly<Record<string, GitOpsTool>> = {
  'argocd-controller': 'Argo CD',
  'argocd-application-controller': 'Argo CD',
  'argocd-server': 'Argo CD',
  argocd: 'Argo CD',
  'kustomize-controller': 'Flux',
  'helm-controller': 'Flux',
  helm: 'Helm',
  Helm: 'Helm',
};

const TRACKING_ID = 'argocd.argoproj.io/tracking-id';
const ARGO_INSTANCE = 'argocd.argoproj.io/instance';
const INSTANCE = 'app.kubernetes.io/instance';
const MANAGED_BY = 'app.kubernetes.io/managed-by';
const RELEASE_NAME = 'meta.helm.sh/release-name';
const RELEASE_NAMESPACE = 'meta.helm.sh/release-namespace';
const FLUX_LABELS = {
  Kustomization: 'kustomize.toolkit.fluxcd.io',
  HelmRelease: 'helm.toolkit.fluxcd.io',
} as const;

/** What the API accepts as a name; a mark that holds anything else names nothing that could be read. */
const NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;

/**
 * Everything on an object that shows a delivery tool as its writer. `field` is the path of the field that is to be changed; a manager that writes it is
 * named with it. Anybody who may edit the object writes its marks, so marks can only restrict.
 */
export function gitOpsMarks(object: Raw, field: readonly string[]): readonly GitOpsMark[] {
  const meta = recordAt(object, 'metadata');
  const seen: Seen = {
    labels: stringMapAt(meta, 'labels'),
    annotations: stringMapAt(meta, 'annotations'),
    owners: recordsAt(meta, 'ownerReferences'),
    namespace: textAt(meta, 'namespace'),
    managers: managersOf(meta, field),
  };
  const flux = fluxMarks(seen);
  const argo = argoMark(seen);
  const helm = helmMark(seen, argo !== undefined || flux.length > 0);
  return [argo, ...flux, helm].filter((mark) => mark !== undefined);
}

interface Seen {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly owners: readonly Raw[];
  readonly namespace: string | undefined;
  readonly managers: ReadonlyMap<GitOpsTool, string>;
}

function argoMark({ labels, annotations, owners, managers, namespace }: Seen): GitOpsMark | undefined {
  const owned = owners.find((owner) => isOf(owner, 'argoproj.io') && owner.kind === 'Application');
  const manager = managers.get('Argo CD');
  const found: readonly (readonly [string | undefined, string])[] = [
    [annotations[TRACKING_ID]?.split(':', 1)[0], `annotation \`${TRACKING_ID}\``],
    [labels[ARGO_INSTANCE], `label \`${ARGO_INSTANCE}\``],
    [owned === undefined ? undefined : (textAt(owned, 'name') ?? ''), 'an owner of kind Application'],
    // Helm charts set the same label, so it names an Application only where Argo CD has written the object.
    [manager === undefined ? undefined : (labels[INSTANCE] ?? ''), manager ?? ''],
  ];
  const first = found.find(([instance]) => instance !== undefined);
  if (first === undefined) return undefined;
  const [instance = '', shownBy] = first;
  // An Application outside of Argo CD's own namespace is written `namespace_name`; no name of Kubernetes holds an underscore.
  const [before = '', after] = instance.split('_', 2);
  const placed = owned === undefined ? {} : given(namespace);
  const owner = after === undefined ? ref('Application', before, placed) : ref('Application', after, given(before));
  return { tool: 'Argo CD', shownBy: withManager(shownBy, manager), ...owner };
}

function fluxMarks({ labels, owners, managers, namespace }: Seen): readonly GitOpsMark[] {
  const manager = managers.get('Flux');
  const marks: GitOpsMark[] = [];
  for (const kind of ['Kustomization', 'HelmRelease'] as const) {
    const group = FLUX_LABELS[kind];
    const owned = owners.find((owner) => isOf(owner, group) && owner.kind === kind);
    const name = labels[`${group}/name`];
    if (name !== undefined) {
      const owner = ref(kind, name, given(labels[`${group}/namespace`]));
      marks.push({ tool: 'Flux', shownBy: withManager(`label \`${group}/name\``, manager), ...owner });
    } else if (owned !== undefined) {
      const owner = ref(kind, textAt(owned, 'name') ?? '', given(namespace));
      marks.push({ tool: 'Flux', shownBy: withManager(`an owner of kind ${kind}`, manager), ...owner });
    }
  }
  if (marks.length === 0 && manager !== undefined) marks.push({ tool: 'Flux', shownBy: manager });
  return marks;
}

/** Charts that Argo CD or Flux render carry Helm's label, too; there only Helm's own annotation or manager shows a release. */
function helmMark({ labels, annotations, managers }: Seen, rendered: boolean): GitOpsMark | undefined {
  const release = annotations[RELEASE_NAME];
  const manager = managers.get('Helm');
  if (rendered) return undefined;
  if (release !== undefined) {
    const owner = ref('Helm release', release, given(annotations[RELEASE_NAMESPACE]));
    return { tool: 'Helm', shownBy: withManager(`annotation \`${RELEASE_NAME}\``, manager), ...owner };
  }
  if (labels[MANAGED_BY] === 'Helm') return { tool: 'Helm', shownBy: withManager(`label \`${MANAGED_BY}\``, manager) };
  return manager === undefined ? undefined : { tool: 'Helm', shownBy: manager };
}

/** For each tool the sentence of its first manager, preferring one that writes the field itself. */
function managersOf(meta: Raw, field: readonly string[]): ReadonlyMap<GitOpsTool, string> {
  const found = new Map<GitOpsTool, string>();
  const written = new Set<GitOpsTool>();
  for (const entry of recordsAt(meta, 'managedFields')) {
    const manager = textAt(entry, 'manager') ?? '';
    const tool = Object.hasOwn(MANAGERS, manager) ? MANAGERS[manager] : undefined;
    if (tool === undefined || written.has(tool)) continue;
    const writes = field.length > 0 && writesField(entry, field);
    if (writes) written.add(tool);
    if (writes || !found.has(tool))
      found.set(
        tool,
        writes ? `field manager \`${manager}\`, which writes \`${field.join('.')}\`` : `field manager \`${manager}\``,
      );
  }
  return found;
}

function writesField(entry: Raw, field: readonly string[]): boolean {
  let at = asRecord(entry.fieldsV1);
  for (const name of field) {
    const next = at[`f:${name}`];
    if (next === undefined) return false;
    at = asRecord(next);
  }
  return true;
}

function withManager(shownBy: string, manager: string | undefined): string {
  return manager === undefined || shownBy === manager ? shownBy : `${shownBy} and ${manager}`;
}

function isOf(owner: Raw, group: string): boolean {
  return (textAt(owner, 'apiVersion') ?? '').startsWith(`${group}/`);
}

function given(namespace: string | undefined): { readonly namespace?: string } {
  return namespace === undefined || !NAME.test(namespace) ? {} : { namespace };
}

function ref(
  kind: GitOpsOwnerKind,
  name: string,
  place: { readonly namespace?: string },
): { readonly owner?: GitOpsRef } {
  return NAME.test(name) ? { owner: { kind, name, ...place } } : {};
}
