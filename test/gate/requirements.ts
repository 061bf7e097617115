import { CAPABILITIES, DUE } from '../requirements/capabilities.ts';
import { CONSOLE } from '../requirements/console.ts';
import { OWNERS } from '../requirements/ids.ts';
import { MODEL } from '../requirements/model.ts';
import { LATER, SPINE } from '../requirements/spine.ts';
import type { Source, Violation } from './sources.ts';

const CALL = /\bverifies\(([^)]*)\)/g;
const LITERAL = /['"`]([^'"`]+)['"`]/g;

/** Requirement id to the test files that cite it. */
export function citations(sources: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  const cited = new Map<string, string[]>();
  for (const source of sources) {
    if (!/\.test\.tsx?$/.test(source.path) && !source.path.startsWith('test/real/suites/')) continue;
    for (const call of source.text.matchAll(CALL)) {
      for (const literal of (call[1] ?? '').matchAll(LITERAL)) {
        const id = literal[1] ?? '';
        cited.set(id, [...(cited.get(id) ?? []), source.path]);
      }
    }
  }
  return cited;
}

/** Ids that must be proven now. */
export function dueIds(): readonly string[] {
  return [...OWNERS].filter(([id, owner]) => DUE.includes(owner) && !LATER.has(id)).map(([id]) => id);
}

/** Cited ids that the manifest does not know, due ids that nothing proves, due ids without a described behaviour. */
export function judgeRequirements(sources: readonly Source[]): readonly Violation[] {
  const cited = citations(sources);
  const described = new Set([...SPINE, ...MODEL, ...CONSOLE].map((requirement) => requirement.id));
  const early = [...MODEL, ...CONSOLE].map((requirement) => requirement.id);
  const unknown = [...cited]
    .filter(([id]) => !OWNERS.has(id))
    .map(([id, paths]) => ({
      path: paths[0] ?? '',
      rule: 'unknown-requirement',
      message: `\`${id}\` is not in the manifest`,
    }));
  const unproven = [...dueIds(), ...early]
    .filter((id) => !cited.has(id))
    .map((id) => ({
      path: 'test/requirements',
      rule: 'unproven-requirement',
      message: `\`${id}\` is due and no test cites it`,
    }));
  const undescribed = dueIds()
    .filter((id) => !described.has(id))
    .map((id) => ({
      path: 'test/requirements/spine.ts',
      rule: 'undescribed-requirement',
      message: `\`${id}\` is due and has no behaviour`,
    }));
  return [...unknown, ...unproven, ...undescribed];
}

/** One line a source: proven, due and total; then what is not due yet, by the part that owns it. */
export function requirementTable(sources: readonly Source[]): string {
  const cited = citations(sources);
  const due = new Set(dueIds());
  const bySource = Map.groupBy(OWNERS.keys(), (id) => id.split('-')[0] ?? '');
  const lines = [...bySource].map(([source, ids]) => {
    const proven = ids.filter((id) => cited.has(id)).length;
    return `${source}: ${proven} proven / ${ids.filter((id) => due.has(id)).length} due / ${ids.length} total`;
  });
  const later = CAPABILITIES.filter((capability) => !DUE.includes(capability)).map((capability) => {
    const count = [...OWNERS.values()].filter((owner) => owner === capability).length;
    return `${capability} ${count}`;
  });
  return [...lines, `not due yet: ${later.join(', ')}`].join('\n');
}
