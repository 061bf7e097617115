import type { ConfigReference } from '../diagnose/tools.ts';
import type { WorkloadFact } from './facts.ts';
import { given, type Raw, recordAt, recordsAt, textAt } from './raw.ts';

/** Every Secret and ConfigMap that a workload's pods take something from. Names and keys only. */
export function configReferences(workload: WorkloadFact): readonly ConfigReference[] {
  const spec = recordAt(workload.raw, 'spec', 'template', 'spec');
  const containers = [...recordsAt(spec, 'initContainers'), ...recordsAt(spec, 'containers')];
  return [...containers.flatMap(ofContainer), ...recordsAt(spec, 'volumes').flatMap(ofVolume)];
}

function ofContainer(container: Raw): readonly ConfigReference[] {
  const name = textAt(container, 'name') ?? '';
  const env = recordsAt(container, 'env').flatMap((variable) => {
    const usedAs = `variable ${textAt(variable, 'name') ?? ''}`;
    const from = recordAt(variable, 'valueFrom');
    return [
      ...reference('Secret', recordAt(from, 'secretKeyRef'), name, usedAs),
      ...reference('ConfigMap', recordAt(from, 'configMapKeyRef'), name, usedAs),
    ];
  });
  const whole = recordsAt(container, 'envFrom').flatMap((from) => [
    ...reference('Secret', recordAt(from, 'secretRef'), name, 'variables'),
    ...reference('ConfigMap', recordAt(from, 'configMapRef'), name, 'variables'),
  ]);
  return [...env, ...whole];
}

function ofVolume(volume: Raw): readonly ConfigReference[] {
  const usedAs = `volume ${textAt(volume, 'name') ?? ''}`;
  const secret = recordAt(volume, 'secret');
  const secretName = textAt(secret, 'secretName');
  return [
    ...(secretName === undefined
      ? []
      : [{ kind: 'Secret' as const, name: secretName, usedAs, optional: secret.optional === true }]),
    ...reference('ConfigMap', recordAt(volume, 'configMap'), undefined, usedAs),
  ];
}

function reference(
  kind: ConfigReference['kind'],
  from: Raw,
  container: string | undefined,
  usedAs: string,
): readonly ConfigReference[] {
  const name = textAt(from, 'name');
  if (name === undefined) return [];
  return [
    {
      ...given('container', container),
      kind,
      name,
      ...given('key', textAt(from, 'key')),
      usedAs,
      optional: from.optional === true,
    },
  ];
}
