import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseConfig } from '@hephaisto/core/config/parse';
import type { Config } from '@hephaisto/core/config/schema';
import { parseBoundedYaml } from '../boot/bounded-yaml.ts';
import { CommandFailed, EXIT } from './exit.ts';

/**
 * The configuration from a file and the environment. Throws `CommandFailed` with every problem, each with its path, and the exit code of
 * a wrong configuration. Without a file the defaults and the environment count. A relative path inside counts from the file's folder, or
 * without a file from where the command was called; what is returned holds absolute ones.
 */
export async function loadConfig(
  named: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Config> {
  // npm runs commands in the repository's folder and keeps the caller's here.
  const called = resolve(env.INIT_CWD ?? '.');
  const path = named === undefined ? undefined : resolve(called, named);
  const parsed = parseConfig(path === undefined ? undefined : await readYaml(path), env);
  if (parsed.kind === 'ok')
    return withSecretsFromFiles(withAbsolutePaths(parsed.config, path === undefined ? called : dirname(path)));
  const lines = parsed.problems.map(
    (problem) => `  ${problem.path === '' ? '' : `${problem.path}: `}${problem.message}`,
  );
  throw new CommandFailed(
    EXIT.usage,
    `expected a configuration that fits its schema, found ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}${path === undefined ? '' : ` in ${path}`}:\n${lines.join('\n')}`,
  );
}

function withAbsolutePaths(config: Config, folder: string): Config {
  const { database, server, kubernetes, acting, model, notify } = config;
  return {
    ...config,
    database: { ...database, folder: resolve(folder, database.folder), ...absolute(folder, database, ['urlFile']) },
    server: {
      ...server,
      alertmanager: { ...server.alertmanager, ...absolute(folder, server.alertmanager, ['tokenFile']) },
    },
    kubernetes: { ...kubernetes, ...absolute(folder, kubernetes, ['kubeconfig']) },
    acting: {
      ...acting,
      ...absolute(folder, acting, ['policyFile']),
      alertmanager: { ...acting.alertmanager, ...absolute(folder, acting.alertmanager, ['tokenFile']) },
    },
    model: { ...model, ...absolute(folder, model, ['apiKeyFile', 'caFile']) },
    notify: {
      ...notify,
      webhooks: notify.webhooks.map((webhook) => ({ ...webhook, ...absolute(folder, webhook, ['secretFile']) })),
    },
  };
}

/** The named options as absolute paths; those that are not set stay unset. */
function absolute<Name extends string>(
  folder: string,
  section: { readonly [name in Name]?: string | undefined },
  names: readonly Name[],
): { [name in Name]?: string } {
  const paths: { [name in Name]?: string } = {};
  for (const name of names) {
    const path = section[name];
    if (path !== undefined) paths[name] = resolve(folder, path);
  }
  return paths;
}

async function readYaml(path: string): Promise<unknown> {
  const text = await readText(path, 'configuration file');
  try {
    return parseBoundedYaml(text);
  } catch (error: unknown) {
    throw new CommandFailed(EXIT.usage, `expected YAML or JSON in ${path}, found ${firstLine(error)}`, error);
  }
}

/** Options that name a file with a secret are replaced by what the file holds, so that nothing later needs to read files. */
async function withSecretsFromFiles(config: Config): Promise<Config> {
  const { urlFile, ...database } = config.database;
  const { tokenFile, ...alertmanager } = config.server.alertmanager;
  const url = urlFile === undefined ? database.url : await readSecret(urlFile, 'database.urlFile');
  const token =
    tokenFile === undefined ? alertmanager.token : await readSecret(tokenFile, 'server.alertmanager.tokenFile');
  const { tokenFile: alertsFile, ...alerts } = config.acting.alertmanager;
  const alertsToken =
    alertsFile === undefined ? alerts.token : await readSecret(alertsFile, 'acting.alertmanager.tokenFile');
  const { apiKeyFile, ...model } = config.model;
  const apiKey = apiKeyFile === undefined ? model.apiKey : await readSecret(apiKeyFile, 'model.apiKeyFile');
  const webhooks = [];
  for (const { secretFile, ...webhook } of config.notify.webhooks) {
    const secret =
      secretFile === undefined ? webhook.secret : await readSecret(secretFile, `notify.webhooks.${webhook.name}`);
    webhooks.push({ ...webhook, ...(secret === undefined ? {} : { secret }) });
  }
  return {
    ...config,
    database: { ...database, ...(url === undefined ? {} : { url }) },
    server: { ...config.server, alertmanager: { ...alertmanager, ...(token === undefined ? {} : { token }) } },
    acting: {
      ...config.acting,
      alertmanager: { ...alerts, ...(alertsToken === undefined ? {} : { token: alertsToken }) },
    },
    model: { ...model, ...(apiKey === undefined ? {} : { apiKey }) },
    notify: { ...config.notify, webhooks },
  };
}

async function readSecret(path: string, option: string): Promise<string> {
  const secret = (await readText(path, `file of ${option}`)).trim();
  if (secret === '')
    throw new CommandFailed(EXIT.usage, `expected a secret in ${path} (${option}), found an empty file`);
  return secret;
}

async function readText(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error: unknown) {
    const message = `expected a readable ${what} at \`${path}\`, found ${firstLine(error)}; name one that exists and may be read`;
    throw new CommandFailed(EXIT.usage, message, error);
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
