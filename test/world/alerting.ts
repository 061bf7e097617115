import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, freePorts, startChild, waitReady } from './child.ts';
import { WorldError } from './world-error.ts';

export interface AlertingPart {
  readonly url: string;
  /** Writes a new configuration and makes the process read it. Throws when it refuses. */
  configure(text: string): Promise<void>;
  stop(): Promise<void>;
}

/** Receives and forgets, until a test configures a receiver. */
const SILENT_ALERTMANAGER = 'route: { receiver: none }\nreceivers: [{ name: none }]\n';
const EMPTY_PROMETHEUS = (alertmanager: string) =>
  `global: { scrape_interval: 1s, evaluation_interval: 1s }\nalerting: { alertmanagers: [{ static_configs: [{ targets: ["${new URL(alertmanager).host}"] }] }] }\n`;

export async function startAlertmanager(folder: string): Promise<AlertingPart> {
  const [port] = (await freePorts(1)) as [number];
  const config = join(folder, 'alertmanager.yml');
  writeFileSync(config, SILENT_ALERTMANAGER);
  return startPart({
    name: 'alertmanager',
    command: '/usr/bin/prometheus-alertmanager',
    args: [
      '--config.file',
      config,
      '--storage.path',
      join(folder, 'alertmanager'),
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    logFile: join(folder, 'alertmanager.log'),
    url: `http://127.0.0.1:${port}`,
    config,
  });
}

export async function startPrometheus(folder: string, alertmanager: string): Promise<AlertingPart> {
  const [port] = (await freePorts(1)) as [number];
  const config = join(folder, 'prometheus.yml');
  writeFileSync(config, EMPTY_PROMETHEUS(alertmanager));
  return startPart({
    name: 'prometheus',
    command: '/usr/bin/prometheus',
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-lifecycle',
      '--rules.alert.resend-delay=2s',
    ],
    logFile: join(folder, 'prometheus.log'),
    url: `http://127.0.0.1:${port}`,
    config,
  });
}

async function startPart(part: {
  name: string;
  command: string;
  args: readonly string[];
  logFile: string;
  url: string;
  config: string;
}): Promise<AlertingPart> {
  const child: Child = startChild(part);
  await waitReady(child, async () => (await fetch(`${part.url}/-/ready`)).ok, 30);
  return {
    url: part.url,
    async configure(text) {
      writeFileSync(part.config, text);
      const answer = await fetch(`${part.url}/-/reload`, { method: 'POST' });
      if (!answer.ok)
        throw new WorldError(
          `expected ${part.name} to accept its configuration, found ${answer.status}: ${(await answer.text()).slice(0, 400)}`,
        );
    },
    stop: () => child.stop(),
  };
}
