import { PROBLEMS, type Problem, type ProblemCode } from '@hephaisto/core/report/problem';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** A refusal on its way to the client. Thrown by routes, turned into an answer in one place. */
export class ApiProblem extends Error {
  readonly code: ProblemCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    code: ProblemCode,
    detail: string,
    extra: {
      readonly details?: Readonly<Record<string, unknown>> | undefined;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(detail);
    this.name = 'ApiProblem';
    this.code = code;
    this.details = extra.details;
    this.headers = extra.headers ?? {};
  }
  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** The body of a refusal. `instance` is the request's id, by which it is found in the log. */
export function problemBody(problem: ApiProblem, instance: string): Problem {
  const { status, title } = PROBLEMS[problem.code];
  return {
    type: `urn:hephaisto:problem:${problem.code}`,
    title,
    status,
    code: problem.code,
    detail: problem.message,
    instance,
    ...(problem.details === undefined ? {} : { details: { ...problem.details } }),
  };
}
