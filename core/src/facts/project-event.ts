import type { EventFact, ObjectRef } from './facts.ts';
import { projectMeta } from './project-meta.ts';
import { given, instantAt, numberAt, type Raw, recordAt, textAt } from './raw.ts';

/**
 * An Event of either API. `events.k8s.io/v1` names its subject `regarding`, its text `note` and counts in `series`; core/v1 says
 * `involvedObject`, `message` and `count`. Each may carry the other's fields under a deprecated name.
 */
export function projectEvent(object: Raw): EventFact {
  const meta = projectMeta(object);
  const series = recordAt(object, 'series');
  const firstSeen =
    instantAt(object, 'firstTimestamp') ??
    instantAt(object, 'deprecatedFirstTimestamp') ??
    instantAt(object, 'eventTime') ??
    instantAt(recordAt(object, 'metadata'), 'creationTimestamp');
  const lastSeen =
    instantAt(series, 'lastObservedTime') ??
    instantAt(object, 'lastTimestamp') ??
    instantAt(object, 'deprecatedLastTimestamp') ??
    instantAt(object, 'eventTime') ??
    firstSeen;
  return {
    uid: meta.uid,
    type: textAt(object, 'type') ?? 'Normal',
    reason: textAt(object, 'reason') ?? '',
    message: textAt(object, 'note') ?? textAt(object, 'message') ?? '',
    count: numberAt(series, 'count') ?? numberAt(object, 'count') ?? numberAt(object, 'deprecatedCount') ?? 1,
    ...given('firstSeen', firstSeen),
    ...given('lastSeen', lastSeen),
    regarding: projectRegarding(object, meta.namespace),
    reporter:
      textAt(object, 'reportingController') ||
      textAt(object, 'reportingComponent') ||
      textAt(recordAt(object, 'source'), 'component') ||
      textAt(recordAt(object, 'deprecatedSource'), 'component') ||
      '',
  };
}

function projectRegarding(object: Raw, namespace: string): ObjectRef {
  const regarding = recordAt(object, object.regarding === undefined ? 'involvedObject' : 'regarding');
  return {
    kind: textAt(regarding, 'kind') ?? '',
    namespace: textAt(regarding, 'namespace') ?? namespace,
    name: textAt(regarding, 'name') ?? '',
    ...given('uid', textAt(regarding, 'uid')),
  };
}
