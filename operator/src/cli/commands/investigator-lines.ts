import type { IncidentReport } from '@hephaisto/core/report/incident';

type Look = IncidentReport['investigations'][number];

const LATEST_READS = 5;

/** Who looked, what each said, what it took and what is left; while one looks, what it is reading. */
export function investigatorLines(report: IncidentReport): readonly string[] {
  const [look] = report.investigations;
  if (look === undefined) return [];
  const running = look.state === 'Queued' || look.state === 'Running';
  return [
    `investigation ${look.attempt} (${look.state}): ${look.stepsUsed} of ${look.budgetSteps} reads`,
    `  rules: ${saidBy(look, 'rules') ?? (running ? rulesAtWork(look) : 'found nothing')}`,
    ...modelLines(look),
    ...plannerLine(report),
    ...(running ? look.steps.slice(-LATEST_READS).map(stepLine) : []),
  ];
}

/** What rules found is known once the whole look has ended. */
function rulesAtWork({ model }: Look): string {
  return model.calls === 0 ? 'reading' : 'have looked; what they found is told with the conclusion';
}

function calls(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`;
}

function modelLines(look: Look): readonly string[] {
  const { model } = look;
  if (model.reason === 'not-configured') return [`  no model looked: ${model.message}`];
  const name = [model.provider, model.model].filter((part) => part !== null).join(' ');
  const looked = model.looked || model.reason === 'under-way' || model.reason === 'waiting';
  const said = saidBy(look, 'model') ?? (looked ? model.message : `no model looked: ${model.message}`);
  const first = `  ${name === '' ? 'model' : name} (${model.reason}): ${said}`;
  if (model.calls === 0) return [first];
  const latency = model.latencyMs === null ? '' : `, first byte after ${model.latencyMs} ms`;
  const cached = model.cachedTokens === 0 ? '' : ` (${model.cachedTokens} cached)`;
  return [
    first,
    `    ${calls(model.calls)}${model.underWay ? ', one under way' : ''}, ${model.inputTokens}${cached} + ${model.outputTokens} tokens, ` +
      `$${model.costUsd.toFixed(4)} of $${model.budgetUsd.toFixed(2)}, $${model.budgetLeftUsd.toFixed(4)} left${latency}`,
  ];
}

function plannerLine({ plan }: IncidentReport): readonly string[] {
  if (plan === null || plan.use === null) return [];
  const { model, calls: made, costUsd } = plan.use;
  const said = plan.status === 'accepted' ? 'its plan was taken' : (plan.message ?? 'no plan');
  return [`  planner ${model ?? ''} (${calls(made)}, $${costUsd.toFixed(4)}): ${said}`];
}

function saidBy({ findings }: Look, who: 'rules' | 'model'): string | undefined {
  const own = findings.filter((finding) => finding.saidBy === who);
  const said = own.find((finding) => finding.primary) ?? own.find((finding) => finding.status === 'grounded');
  const dropped = own.filter((finding) => finding.status === 'dropped').length;
  const rest = dropped === 0 ? '' : `claims dropped, since no quotation stands: ${dropped}`;
  if (said === undefined) return rest === '' ? undefined : rest;
  return `${said.statement} (${said.certainty})${rest === '' ? '' : `; ${rest}`}`;
}

function stepLine(step: Look['steps'][number]): string {
  const state = step.finishedAt === null ? 'reading' : step.status;
  return `    E${step.ordinal} ${step.tool} ${JSON.stringify(step.args)}: ${state}`;
}
