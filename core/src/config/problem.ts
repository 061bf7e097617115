import type { z } from 'zod';

/** One thing that is wrong with a configuration. */
export interface ConfigProblem {
  /** Path of the option, or the name of the environment variable. */
  readonly path: string;
  /** What was expected and what was found. */
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

/** All that a validation found, in the words of the person who wrote the file. */
export function describeIssues(issues: readonly Issue[], input: unknown): readonly ConfigProblem[] {
  return issues.flatMap((issue) => describe(issue, input));
}

function describe(issue: Issue, input: unknown): readonly ConfigProblem[] {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: path === '' ? key : `${path}.${key}`,
      message: 'expected a known option, found one that does not exist; check its spelling',
    }));
  }
  const found = at(input, issue.path);
  return [
    {
      path,
      message:
        issue.code === 'custom' && found === undefined ? issue.message : `${expected(issue)}, found ${show(found)}`,
    },
  ];
}

function expected(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${article(issue.expected)}`;
    case 'invalid_value':
      return `expected one of ${issue.values.map((value) => `\`${String(value)}\``).join(', ')}`;
    case 'too_small':
      return `expected at least ${issue.minimum}${issue.origin === 'string' ? ' characters' : ''}`;
    case 'too_big':
      return `expected at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'expected a URL' : issue.message;
    default:
      return issue.message;
  }
}

function article(type: string): string {
  const word = type === 'int' ? 'integer' : type;
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;
}

function at(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  );
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `\`${text.length > 60 ? `${text.slice(0, 60)}…` : text}\``;
}
