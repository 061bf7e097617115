/** A change of the source that no test notices, and the reason why none has to. */
export interface Reason {
  readonly file: string;
  /** The source line on which the mutant begins, without its indentation. */
  readonly line: string;
  readonly replacement: string;
  readonly reason: string;
}

/** A mutant after its tests ran, with the source line on which it begins. */
export interface Outcome {
  readonly file: string;
  readonly lineNumber: number;
  readonly line: string;
  readonly replacement: string;
  /** `invalid`: the tests neither passed nor failed, so nothing is known. */
  readonly status: 'killed' | 'survived' | 'invalid' | 'ignored';
}

export interface Verdict {
  readonly killed: number;
  readonly explained: number;
  readonly ignored: number;
  /** Survivors without a reason, and mutants of which nothing is known. */
  readonly unexplained: readonly Outcome[];
  /** Reasons whose mutant is killed or no longer exists. */
  readonly stale: readonly Reason[];
}

/**
 * Compares the survivors with the written reasons. A reason names its source line by text and not by number: it holds while other lines
 * move, and ends when its own line changes. Only a reason about a file that was mutated can be stale.
 */
export function compareWithReasons(
  outcomes: readonly Outcome[],
  reasons: readonly Reason[],
  files: readonly string[],
): Verdict {
  const survivors = outcomes.filter(({ status }) => status === 'survived');
  const withReason = new Set(reasons.map(keyOf));
  const survived = new Set(survivors.map(keyOf));
  const count = (status: Outcome['status']) => outcomes.filter((outcome) => outcome.status === status).length;
  return {
    killed: count('killed'),
    explained: survivors.filter((survivor) => withReason.has(keyOf(survivor))).length,
    ignored: count('ignored'),
    unexplained: outcomes.filter(
      (outcome) => outcome.status === 'invalid' || (outcome.status === 'survived' && !withReason.has(keyOf(outcome))),
    ),
    stale: reasons.filter((reason) => files.includes(reason.file) && !survived.has(keyOf(reason))),
  };
}

function keyOf({ file, line, replacement }: Pick<Reason, 'file' | 'line' | 'replacement'>): string {
  return JSON.stringify([file, line, replacement.replaceAll(/\s+/g, ' ')]);
}
