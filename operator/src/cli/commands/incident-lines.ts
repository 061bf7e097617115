import type { IncidentReport } from '@hephaisto/core/report/incident';

/** The texts that the cause rests on, as they were read. */
export function quotationLines(report: IncidentReport): readonly string[] {
  const primary = report.investigations.flatMap(({ findings }) => findings).find((finding) => finding.primary);
  return (primary?.evidence ?? [])
    .filter(({ accepted }) => accepted)
    .map(({ citedStep, excerpt }) => `  quoted from ${citedStep}: ${excerpt}`);
}

/** What was done, what the API server said to it, and what each check after it measured. */
export function actionLines(report: IncidentReport): readonly string[] {
  return report.actions.flatMap((action) => [
    `action ${action.type} on ${action.workload.kind} ${action.workload.name}: ${plain(action.state)}`,
    ...action.attempts
      .filter(({ phase }) => phase !== 'dry_run')
      .map(
        ({ phase, outcome, httpStatus, message }) =>
          `  ${phase} at the API server: ${plain(outcome)}${httpStatus === null ? '' : ` (${httpStatus})`}${message === null ? '' : `: ${message}`}`,
      ),
    ...action.verifications
      .filter(({ result }) => result !== null)
      .flatMap(({ question, result, predicates }) => [
        `  check ${plain(question)}: ${plain(result ?? '')}`,
        ...predicates.map(({ verdict, message }) => `    ${verdict}: ${message}`),
      ]),
  ]);
}

/** A code with its words beside it: `DryRunOk` as `DryRunOk (dry run ok)`; what is one word already stays alone. */
export function plain(code: string): string {
  const words = code
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase();
  return words.includes(' ') && !code.includes(' ') ? `${code} (${words})` : code;
}
