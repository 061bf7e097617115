import type { ObjectStore } from '../cluster/store.ts';
import type { Pace } from '../pace.ts';
import { startDeploymentController } from './deployment/controller.ts';
import { startDisruptionController } from './disruption/controller.ts';
import { startEndpointSlices } from './endpointslice/controller.ts';
import { startEventExpiry } from './expiry/controller.ts';
import { startGarbageCollector } from './garbage/controller.ts';
import { startJobController } from './job/controller.ts';
import { startNamespaceContent } from './namespace/controller.ts';
import { startEviction } from './node/eviction-controller.ts';
import { startNodeLifecycle } from './node/lifecycle-controller.ts';
import { startReplicaSetController } from './replicaset/controller.ts';
import { type ControllerContext, closeAll, type Running } from './runtime/context.ts';
import { createEventRecorder } from './runtime/event-recorder.ts';
import { createInstants } from './runtime/instants.ts';
import { startScheduler } from './scheduler/controller.ts';
import type { Random } from './shape/names.ts';

export interface ControllersOptions {
  readonly store: ObjectStore;
  readonly pace: Pace;
  /** Decides between nodes of equal worth and ends the names of events. */
  readonly random: Random;
  /** What namespaces hand to their pods as the cluster's certificate, PEM. */
  readonly rootCertificate?: string;
  /** Told of every failed look; the controller tries again by itself. */
  readonly onError: (controller: string, key: string, error: unknown) => void;
}

/** Starts everything that a control plane does of its own accord. Closing stops it at once and leaves the store as it is. */
export function startControllers(options: ControllersOptions): Running {
  const { store, pace, random } = options;
  const context: ControllerContext = {
    store,
    pace,
    random,
    events: createEventRecorder({ store, pace, random }),
    instants: createInstants(),
    onError: options.onError,
  };
  return closeAll([
    startNamespaceContent(context, { rootCertificate: options.rootCertificate ?? '' }),
    startNodeLifecycle(context),
    startEviction(context),
    startScheduler(context),
    startReplicaSetController(context),
    startDeploymentController(context),
    startJobController(context),
    startEndpointSlices(context),
    startDisruptionController(context),
    startGarbageCollector(context),
    startEventExpiry(context),
  ]);
}
