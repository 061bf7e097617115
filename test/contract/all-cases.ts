import type { ContractCase } from './case.ts';
import { ACCESS } from './cases/access.ts';
import { CONTROLLERS } from './cases/controllers.ts';
import { CREATING } from './cases/creating.ts';
import { DELETING } from './cases/deleting.ts';
import { EACH_KIND } from './cases/each-kind.ts';
import { KUBECTL } from './cases/kubectl.ts';
import { LOGS } from './cases/logs.ts';
import { PATCHING } from './cases/patching.ts';
import { READING } from './cases/reading.ts';
import { RENDERING } from './cases/rendering.ts';
import { REPLACING } from './cases/replacing.ts';
import { SELECTING } from './cases/selecting.ts';
import { STORY_CASES } from './cases/stories.ts';
import { WATCHING } from './cases/watching.ts';

/** All cases by group; a group is one golden file. */
export const CASES: Readonly<Record<string, readonly ContractCase[]>> = {
  reading: READING,
  selecting: SELECTING,
  creating: CREATING,
  patching: [...PATCHING, ...REPLACING],
  deleting: DELETING,
  'each-kind': EACH_KIND,
  access: ACCESS,
  watching: WATCHING,
  rendering: RENDERING,
  logs: LOGS,
  controllers: CONTROLLERS,
  stories: STORY_CASES,
  kubectl: KUBECTL,
};

export interface NamedCase {
  readonly group: string;
  readonly case: ContractCase;
}

/** The cases whose group or id contains the word; all of them without one. */
export function casesFor(word = ''): readonly NamedCase[] {
  return Object.entries(CASES).flatMap(([group, cases]) =>
    cases.filter(({ id }) => `${group}/${id}`.includes(word)).map((each) => ({ group, case: each })),
  );
}
