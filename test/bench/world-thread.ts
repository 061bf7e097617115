/** The simulated cluster in a thread of its own, so that its work does not count as the operator's. Ending the thread is an API server that goes away. */
import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../operator/src/adapters/clock/clock.ts';
import { createIds } from '../../operator/src/adapters/ids/ids.ts';
import { ADMIN } from '../../operator/src/demo/cluster/simulated-cluster.ts';
import { createOperatorIdentity, OPERATOR } from '../../operator/src/demo/identity/operator-identity.ts';
import { createPace } from '../../operator/src/demo/pace.ts';
import { startSimulatedWorld } from '../../operator/src/demo/stories/simulated-world.ts';

export interface WorldPlaces {
  readonly kubeconfigYaml: string;
  readonly alertmanagerUrl: string;
}

const world = await startSimulatedWorld({
  pace: createPace(30),
  ids: createIds(systemClock),
  random: Math.random,
  onTrouble: () => {},
});
await createOperatorIdentity(world.cluster.kubeconfigFor(ADMIN));
const { namespace, serviceAccount: name } = OPERATOR;
const places: WorldPlaces = {
  kubeconfigYaml: world.cluster.kubeconfigFor({ serviceAccount: { namespace, name } }),
  alertmanagerUrl: world.alertmanager.url,
};
parentPort?.postMessage(places);
