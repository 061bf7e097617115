import type { Config } from '@hephaisto/core/config/schema';
import { checkCluster } from '../doctor/cluster-checks.ts';
import type { DoctorFinding } from '../doctor/finding.ts';
import {
  checkAlertStates,
  checkDatabase,
  checkMessages,
  checkPolicy,
  checkWebhook,
} from '../doctor/installation-checks.ts';
import { checkMetrics, checkModel } from '../doctor/model-checks.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { loadConfig } from '../load-config.ts';
import { type Format, inert, renderObject } from '../output.ts';
import type { Terminal } from '../terminal.ts';

/** Looks at everything the configuration names and says what is missing. Fails when something that is configured is. */
export async function doctor(terminal: Terminal, configFile: string | undefined, format: Format): Promise<ExitCode> {
  const config = await loadConfig(configFile, terminal.env);
  const findings = await examine(config);
  const failed = findings.some((finding) => finding.status === 'missing');
  if (format === 'json' || format === 'yaml') terminal.out(renderObject({ ok: !failed, findings }, format));
  else terminal.out(findings.map(describe).join(''));
  return failed ? EXIT.failed : EXIT.done;
}

async function examine(config: Config): Promise<readonly DoctorFinding[]> {
  return [
    await checkDatabase(config.database),
    ...(await checkCluster(config)),
    await checkPolicy(config.acting),
    checkWebhook(config.server),
    await checkAlertStates(config.acting.alertmanager),
    checkMessages(config.notify),
    await checkModel(config.model),
    await checkMetrics(config.investigation.prometheus),
  ];
}

const MARKS = { ok: '+', missing: '-', off: 'o' } as const;

function describe(finding: DoctorFinding): string {
  const lines = [
    `[${MARKS[finding.status]}] ${finding.name}: ${finding.message}`,
    ...(finding.lost === null ? [] : [`    lost: ${finding.lost}`]),
    ...(finding.remedy === null ? [] : [`    do: ${finding.remedy}`]),
  ];
  return lines.map((line) => `${inert(line)}\n`).join('');
}
