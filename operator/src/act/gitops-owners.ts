import type { RawObject } from '@hephaisto/core/action/raw-object';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import { assertNever } from '@hephaisto/core/assert-never';
import { DECLARED_FIELD } from '@hephaisto/core/gitops/declared-field';
import { type GitOpsMark, type GitOpsRef, gitOpsMarks } from '@hephaisto/core/gitops/marks';
import {
  applicationState,
  type GitOpsSource,
  type GitOpsState,
  helmReleaseState,
  kustomizationState,
  sourceRefOf,
  withAddress,
} from '@hephaisto/core/gitops/self-heal';
import type { KubeFailure, KubeRead, KubeReader } from '@hephaisto/core/ports/kube';
import type { GitOpsOwner } from '@hephaisto/policy/input';

/** Where Applications live that name no namespace: Argo CD's own by default, and that of OpenShift GitOps. */
const ARGO_NAMESPACES = ['argocd', 'openshift-gitops'];

/** Kinds of Flux sources, by the resource that serves them. */
const FLUX_SOURCES: Readonly<Record<string, string>> = {
  GitRepository: 'gitrepositories',
  OCIRepository: 'ocirepositories',
  HelmRepository: 'helmrepositories',
  Bucket: 'buckets',
};

/** Marks of one action that are followed; more would be a mistake of their author. */
const MAX_OWNERS = 4;

/**
 * Who declares the objects of an action elsewhere, and whether a change here would be taken back. What cannot be read leaves self-heal unknown, with the
 * object that was not read.
 */
export async function readGitOpsOwners(
  reader: KubeReader,
  request: Pick<AnyActionRequest, 'type'>,
  objects: readonly RawObject[],
): Promise<readonly GitOpsOwner[]> {
  const found = objects.flatMap((object) =>
    gitOpsMarks(object, DECLARED_FIELD[request.type]).map((mark) => ({ mark, object })),
  );
  const distinct = new Map(found.map((each) => [keyOf(each.mark), each]));
  return await Promise.all(
    [...distinct.values()].slice(0, MAX_OWNERS).map(({ mark, object }) => ownerOf(reader, mark, object)),
  );
}

function keyOf({ tool, owner }: GitOpsMark): string {
  return [tool, owner?.kind, owner?.namespace, owner?.name].join('\n');
}

async function ownerOf(reader: KubeReader, mark: GitOpsMark, object: RawObject): Promise<GitOpsOwner> {
  const { tool, owner, shownBy } = mark;
  if (owner === undefined)
    return { tool, shownBy, selfHeal: 'unknown', unread: `the object does not name what of ${tool} declares it` };
  const name = `${owner.kind} \`${owner.namespace === undefined ? '' : `${owner.namespace}/`}${owner.name}\``;
  const state = await stateOf(reader, owner, object);
  if (state.kind === 'failure')
    return { tool, name, shownBy, selfHeal: 'unknown', unread: `${name} could not be read: ${state.message}` };
  return { ...state.value, tool, name, shownBy };
}

async function stateOf(reader: KubeReader, owner: GitOpsRef, object: RawObject): Promise<KubeRead<GitOpsState>> {
  switch (owner.kind) {
    case 'Application':
      return await readApplication(reader, owner);
    case 'Kustomization': {
      const read = await readOwner(reader, 'kustomize.toolkit.fluxcd.io/v1', 'kustomizations', owner);
      return read.kind === 'failure'
        ? read
        : { kind: 'ok', value: await addressed(reader, owner, read.value, kustomizationState(read.value, object)) };
    }
    case 'HelmRelease': {
      const read = await readOwner(reader, 'helm.toolkit.fluxcd.io/v2', 'helmreleases', owner);
      return read.kind === 'failure'
        ? read
        : { kind: 'ok', value: await addressed(reader, owner, read.value, helmReleaseState(read.value)) };
    }
    case 'Helm release':
      // Helm has no controller: nothing is taken back before somebody upgrades. Its own record is a Secret, which is never read.
      return { kind: 'ok', value: { selfHeal: 'off', source: {} } };
    default:
      return assertNever(owner.kind);
  }
}

async function readApplication(reader: KubeReader, { name, namespace }: GitOpsRef): Promise<KubeRead<GitOpsState>> {
  const failures: string[] = [];
  for (const place of namespace === undefined ? ARGO_NAMESPACES : [namespace]) {
    const read = await reader.object('argoproj.io/v1alpha1', 'applications', place, name);
    if (read.kind === 'ok') return { kind: 'ok', value: applicationState(read.value) };
    failures.push(`${read.reason} in namespace ${place}`);
  }
  return failure(failures.join(', '));
}

async function readOwner(
  reader: KubeReader,
  apiVersion: string,
  resource: string,
  { name, namespace }: GitOpsRef,
): Promise<KubeRead<RawObject>> {
  if (namespace === undefined) return failure('its namespace is not named');
  const read = await reader.object(apiVersion, resource, namespace, name);
  return read.kind === 'ok' ? read : failure(read.reason);
}

/** The address of the repository is in another object; without it the source is still named. */
async function addressed(
  reader: KubeReader,
  owner: GitOpsRef,
  declared: RawObject,
  state: GitOpsState,
): Promise<GitOpsState> {
  const { kind, name, namespace = owner.namespace ?? '' } = sourceRefOf(declared);
  const resource = FLUX_SOURCES[kind];
  if (resource === undefined || name === '') return state;
  const read = await reader.object('source.toolkit.fluxcd.io/v1', resource, namespace, name);
  const source: GitOpsSource = read.kind === 'ok' ? withAddress(state.source, read.value) : state.source;
  return { ...state, source };
}

function failure(message: string): KubeFailure {
  return { kind: 'failure', reason: 'not-found', message };
}
