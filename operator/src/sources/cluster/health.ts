import type { FeedState, FeedTarget } from '@hephaisto/core/ports/object-feed';

/** How one watched collection is doing, for health pages and `doctor`. */
export interface SourceHealth {
  readonly source: 'k8s';
  readonly resource: string;
  /** Empty: the whole cluster. */
  readonly namespace: string;
  /** `standby`: another replica watches. */
  readonly state: 'standby' | FeedState['kind'];
  readonly synced: boolean;
  readonly lastHeardAt: Date | undefined;
  /** Since when it does not work; undefined while it does. */
  readonly brokenSince: Date | undefined;
  readonly message: string | undefined;
  /** What is not seen while it does not work. */
  readonly lost: string;
  /** The rule that is missing, as RBAC spells it. */
  readonly missing:
    | {
        readonly apiGroups: readonly string[];
        readonly resources: readonly string[];
        readonly verbs: readonly string[];
      }
    | undefined;
}

const LOST: Readonly<Record<string, string>> = {
  pods: 'crashes, kills for memory, image and configuration errors and unready pods are not seen, and no action is allowed',
  events: 'warnings are not seen',
  nodes: 'node failures are not seen, unschedulable pods are found later, and no action is allowed',
  jobs: 'failed jobs are not seen',
  deployments: 'stuck rollouts and missing replicas are not seen',
  statefulsets: 'rollouts of StatefulSets are not seen, so a crash during one counts at once',
  daemonsets: 'rollouts of DaemonSets are not seen, so a crash during one counts at once',
  replicasets: 'owners of pods are told by name only',
};

export interface HealthBoard {
  state(target: FeedTarget, state: FeedState, at: Date): void;
  heard(target: FeedTarget, at: Date): void;
  synced(target: FeedTarget): void;
  standby(): void;
  /** Whether every feed that could show an object of the resource in the namespace has listed it whole; true where there is none. */
  isSynced(resource: string, namespace: string): boolean;
  /** Every feed of these resources has been listed whole and is being watched at this moment. */
  inStep(resources: readonly string[]): boolean;
  read(): readonly SourceHealth[];
}

export function createHealthBoard(targets: readonly FeedTarget[]): HealthBoard {
  interface Entry {
    state: SourceHealth['state'];
    synced: boolean;
    heardAt: Date | undefined;
    brokenSince: Date | undefined;
    message: string | undefined;
    verb: 'list' | 'watch' | undefined;
  }
  const entries = new Map<FeedTarget, Entry>(targets.map((target) => [target, fresh()]));
  function fresh(): Entry {
    return {
      state: 'standby',
      synced: false,
      heardAt: undefined,
      brokenSince: undefined,
      message: undefined,
      verb: undefined,
    };
  }
  function entry(target: FeedTarget): Entry {
    const found = entries.get(target);
    if (found === undefined) throw new Error('expected a target of this board; this is a bug in hephaisto');
    return found;
  }
  return {
    state(target, state, now) {
      const at = entry(target);
      const broken = state.kind === 'forbidden' || state.kind === 'failing';
      at.brokenSince = broken ? (at.brokenSince ?? now) : undefined;
      at.state = state.kind;
      at.message =
        state.kind === 'forbidden' ? state.message : state.kind === 'failing' ? state.failure.message : undefined;
      at.verb = state.kind === 'forbidden' || state.kind === 'failing' ? state.verb : undefined;
    },
    heard(target, at) {
      entry(target).heardAt = at;
    },
    synced(target) {
      entry(target).synced = true;
    },
    standby() {
      for (const target of targets) entries.set(target, fresh());
    },
    inStep: (resources) =>
      [...entries].every(
        ([{ resource }, at]) => !resources.includes(resource) || (at.synced && at.state === 'watching'),
      ),
    isSynced(resource, namespace) {
      return [...entries].every(
        ([target, at]) =>
          at.synced || target.resource !== resource || (target.namespace !== '' && target.namespace !== namespace),
      );
    },
    read: () =>
      targets.map((target) => {
        const at = entry(target);
        return {
          source: 'k8s',
          resource: target.resource,
          namespace: target.namespace,
          state: at.state,
          synced: at.synced,
          lastHeardAt: at.heardAt,
          brokenSince: at.brokenSince,
          message: at.message,
          lost: LOST[target.resource] ?? `${target.resource} are not seen`,
          missing: at.state === 'forbidden' ? missingRule(target) : undefined,
        };
      }),
  };
}

function missingRule(target: FeedTarget): SourceHealth['missing'] {
  const group = target.apiVersion.includes('/') ? (target.apiVersion.split('/', 1)[0] ?? '') : '';
  return { apiGroups: [group], resources: [target.resource], verbs: ['get', 'list', 'watch'] };
}
