import { parseMemoryBytes } from '../facts/quantity.ts';
import type { EvidenceClaim, FieldChange } from '../finding/finding.ts';
import type { Symptom } from '../finding/symptom.ts';
import { isInEpisode } from './episode.ts';
import { effectOf, isNamedByScheduler } from './field-effects.ts';
import { type Naming, namingOf, stateNamingOf } from './naming.ts';
import { quote, quoteLine } from './quote.ts';
import { quoteEvent } from './symptom-evidence.ts';
import type { Trouble } from './trouble.ts';
import { type CaseView, logsOf } from './view.ts';

/** The one change that the evidence singles out, and by what. */
export interface Decisive {
  readonly change: FieldChange;
  /** `only-able` is elimination: no other changed field can have the effect. It is no proof, since a restart alone may have brought it. */
  readonly why: 'only-able' | 'named-by-log' | 'named-by-event' | 'named-by-state';
  /** What the evidence names: the new value itself, or only the field. */
  readonly names: Naming | undefined;
  /** The decisive words, as written. */
  readonly words?: string;
  readonly evidence: readonly EvidenceClaim[];
}

/** Singles out one change from which the symptom can follow, or none where the evidence does not. */
export function findDecisive(
  symptom: Symptom,
  changes: readonly FieldChange[],
  sick: readonly Trouble[],
  view: CaseView,
): Decisive | undefined {
  const failing = sick.filter((trouble) => trouble.symptom === symptom);
  const containers = new Set(failing.map(({ container }) => container));
  const able = changes.filter(
    (change) =>
      effectOf(change, symptom) === 'can' &&
      (change.container === undefined || containers.has(change.container) || symptom === 'unschedulable'),
  );
  const named = able.map((change) => nameChange(change, failing, view)).filter((found) => found !== undefined);
  const byValue = named.filter(({ names }) => names === 'value');
  if (byValue.length === 1) return byValue[0];
  if (byValue.length === 0 && named.length === 1) return named[0];
  const only = able[0];
  return only !== undefined && able.length === 1 && named.length === 0
    ? { change: only, why: 'only-able', names: undefined, evidence: [] }
    : undefined;
}

/** The strongest naming of a change: by the container's state, by its log, by an event about its pod. */
function nameChange(change: FieldChange, failing: readonly Trouble[], view: CaseView): Decisive | undefined {
  const found = [
    nameInState(change, failing, view),
    nameInLogs(change, failing, view),
    nameInEvents(change, failing, view),
  ].filter((candidate) => candidate !== undefined);
  return found.find(({ names }) => names === 'value') ?? found[0];
}

function nameInState(change: FieldChange, failing: readonly Trouble[], view: CaseView): Decisive | undefined {
  for (const trouble of failing) {
    const { symptom, pod, container, message, ended } = trouble;
    const words = [message, ended?.message].find((text) => text !== undefined && isNamedInState(change, symptom, text));
    if (words !== undefined) {
      const where = symptom === 'unschedulable' ? 'is not scheduled: ' : `container ${container ?? ''}: `;
      const evidence = quote(view.pods, `pod ${pod.name} `, where);
      return { change, why: 'named-by-state', names: 'value', words, evidence };
    }
    if (isKilledAtLimit(change, trouble)) {
      const evidence = quote(view.pods, `pod ${pod.name} `, `container ${container ?? ''}: `);
      return { change, why: 'named-by-state', names: 'value', evidence };
    }
  }
  return undefined;
}

function isNamedInState(change: FieldChange, symptom: Symptom, text: string): boolean {
  return symptom === 'unschedulable' ? isNamedByScheduler(change, text) : stateNamingOf(text, change);
}

/** The kernel killed the container at the very limit that the change brought. */
function isKilledAtLimit(change: FieldChange, { symptom, pod, container, init }: Trouble): boolean {
  if (symptom !== 'oom' || !change.path.endsWith('.resources.limits.memory')) return false;
  const spec = pod.specs.find(({ name, init: isInit }) => name === container && isInit === (init ?? false));
  return spec?.limits.memoryBytes !== undefined && spec.limits.memoryBytes === parseMemoryBytes(change.to);
}

function nameInLogs(change: FieldChange, failing: readonly Trouble[], view: CaseView): Decisive | undefined {
  const lines = logsOf(view, failing).flatMap((log) => log.value.lines.map((line) => ({ log, line })));
  for (const wanted of ['value', 'field'] as const) {
    for (const { log, line } of lines) {
      const claim = namingOf(line, change) === wanted ? quoteLine(log, line) : undefined;
      if (claim !== undefined) return { change, why: 'named-by-log', names: wanted, words: line, evidence: [claim] };
    }
  }
  return undefined;
}

function nameInEvents(change: FieldChange, failing: readonly Trouble[], view: CaseView): Decisive | undefined {
  const pods = new Set(failing.map(({ pod }) => pod.name));
  for (const event of view.events?.value ?? []) {
    const { type, message, regarding, lastSeen } = event;
    if (type !== 'Warning' || !pods.has(regarding.name) || !isInEpisode(lastSeen, view.episode)) continue;
    const evidence = stateNamingOf(message, change) ? quoteEvent(view, event) : [];
    if (evidence.length > 0) return { change, why: 'named-by-event', names: 'value', words: message, evidence };
  }
  return undefined;
}
