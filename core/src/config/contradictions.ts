import { impossibleBounds } from './impossible-bounds.ts';
import type { ConfigProblem } from './problem.ts';
import type { Config } from './schema.ts';

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.includes(host);
}

/** Options that are each right and cannot all be meant. */
export function contradictions(config: Config): readonly ConfigProblem[] {
  return [...CHECKS.flatMap((check) => check(config) ?? []), ...impossibleBounds(config)];
}

const CHECKS: readonly ((config: Config) => ConfigProblem | undefined)[] = [
  serverUrlWithoutServer,
  serverWithoutUrl,
  twoUrls,
  kubeconfigWithoutPath,
  kubeconfigUnused,
  twoWebhookTokens,
  twoAlertmanagerTokens,
  routeToNowhere,
  modelWithoutName,
  modelWithoutPrice,
  modelWithoutAccess,
  metricsOnSamePort,
  idleLongerThanLife,
  personNamedTwice,
  personNamedAsFirstAdmin,
  identityOfTwoPeople,
  openWithoutAddress,
];

function serverUrlWithoutServer({ database }: Config): ConfigProblem | undefined {
  if (database.kind !== 'embedded' || (database.url === undefined && database.urlFile === undefined)) return undefined;
  return {
    path: 'database.kind',
    message:
      'expected `postgres` since a connection string is set, found `embedded`; set the kind or drop the connection string',
  };
}

function serverWithoutUrl({ database }: Config): ConfigProblem | undefined {
  if (database.kind !== 'postgres' || database.url !== undefined || database.urlFile !== undefined) return undefined;
  return {
    path: 'database.urlFile',
    message: 'expected a connection string for kind `postgres`, found neither `url` nor `urlFile`',
  };
}

function twoUrls({ database }: Config): ConfigProblem | undefined {
  if (database.url === undefined || database.urlFile === undefined) return undefined;
  return { path: 'database.url', message: 'expected one of `url` and `urlFile`, found both; drop one' };
}

function kubeconfigWithoutPath({ kubernetes }: Config): ConfigProblem | undefined {
  if (kubernetes.access !== 'kubeconfig' || kubernetes.kubeconfig !== undefined) return undefined;
  return {
    path: 'kubernetes.kubeconfig',
    message: 'expected the path of a kubeconfig for access `kubeconfig`, found nothing',
  };
}

function kubeconfigUnused({ kubernetes }: Config): ConfigProblem | undefined {
  if (kubernetes.access !== 'in-cluster' || (kubernetes.kubeconfig === undefined && kubernetes.context === undefined))
    return undefined;
  return {
    path: 'kubernetes.access',
    message: 'expected `kubeconfig` since a kubeconfig or context is named, found `in-cluster`',
  };
}

function twoWebhookTokens({ server }: Config): ConfigProblem | undefined {
  if (server.alertmanager.token === undefined || server.alertmanager.tokenFile === undefined) return undefined;
  return {
    path: 'server.alertmanager.token',
    message: 'expected one of `token` and `tokenFile`, found both; drop one',
  };
}

function twoAlertmanagerTokens({ acting }: Config): ConfigProblem | undefined {
  if (acting.alertmanager.token === undefined || acting.alertmanager.tokenFile === undefined) return undefined;
  return {
    path: 'acting.alertmanager.token',
    message: 'expected one of `token` and `tokenFile`, found both; drop one',
  };
}

function routeToNowhere({ notify }: Config): ConfigProblem | undefined {
  const index = notify.routes.findIndex((route) => !notify.webhooks.some((webhook) => webhook.name === route.to));
  const route = notify.routes[index];
  if (route === undefined) return undefined;
  return {
    path: `notify.routes.${index}.to`,
    message: `expected the name of an endpoint in notify.webhooks, found \`${route.to}\``,
  };
}

function modelWithoutName({ model }: Config): ConfigProblem | undefined {
  if (model.provider === 'none' || model.name !== undefined) return undefined;
  return {
    path: 'model.name',
    message: `expected the name of a model for provider \`${model.provider}\`, found nothing`,
  };
}

/** A budget over unknown prices would be none. */
function modelWithoutPrice({ model }: Config): ConfigProblem | undefined {
  if (model.provider === 'none' || model.prices.some((price) => price.model === model.name)) return undefined;
  return {
    path: 'model.prices',
    message: `expected a price of \`${model.name ?? ''}\`, found none; name what it costs, or 0 for a model of your own`,
  };
}

function modelWithoutAccess({ model }: Config): ConfigProblem | undefined {
  const key = model.apiKey !== undefined || model.apiKeyFile !== undefined;
  if (model.apiKey !== undefined && model.apiKeyFile !== undefined)
    return { path: 'model.apiKey', message: 'expected one of `apiKey` and `apiKeyFile`, found both; drop one' };
  if (model.provider === 'gemini' && !key)
    return { path: 'model.apiKeyFile', message: 'expected a key for provider `gemini`, found none' };
  if (model.provider === 'vertex' && !key && (model.project === undefined || model.location === undefined))
    return {
      path: 'model.project',
      message: 'expected `project` and `location`, or a key, for provider `vertex`, found neither',
    };
  return undefined;
}

function metricsOnSamePort({ server }: Config): ConfigProblem | undefined {
  if (server.metricsPort === undefined || server.metricsPort === 0 || server.metricsPort !== server.port)
    return undefined;
  return {
    path: 'server.metricsPort',
    message: `expected another port than \`port\`, found \`${server.metricsPort}\`; leave it out to share`,
  };
}

function idleLongerThanLife({ auth }: Config): ConfigProblem | undefined {
  if (auth.sessionIdle <= auth.sessionLife) return undefined;
  return {
    path: 'auth.sessionIdle',
    message: 'expected at most `sessionLife`, found more; a session cannot idle longer than it lives',
  };
}

function personNamedTwice({ auth }: Config): ConfigProblem | undefined {
  const index = auth.people.findIndex(
    ({ subject }, place) => auth.people.findIndex((each) => each.subject === subject) < place,
  );
  const twice = auth.people[index];
  if (twice === undefined) return undefined;
  return {
    path: `auth.people.${index}.subject`,
    message: `expected each person once, found \`${twice.subject}\` again; put all grants into one entry`,
  };
}

/** The account of the sign-in link that a server on loopback prints: the first admin of an installation, before there are others. */
export const FIRST_ADMIN = 'admin';

/** Whether this start makes the first admin and prints a link for it. */
export function makesFirstAdmin({ auth, server }: Pick<Config, 'auth' | 'server'>): boolean {
  return auth.adminLink && isLoopback(server.host);
}

/** A person of that name would be given the first admin's grant beside their own. */
function personNamedAsFirstAdmin(config: Config): ConfigProblem | undefined {
  if (!makesFirstAdmin(config)) return undefined;
  const index = config.auth.people.findIndex(({ subject }) => subject === FIRST_ADMIN);
  if (index < 0) return undefined;
  return {
    path: `auth.people.${index}.subject`,
    message: `expected another name than \`${FIRST_ADMIN}\`, which is the account of the printed sign-in link and always an admin; rename the person or set \`auth.adminLink\` to false`,
  };
}

/** An account belongs to one person, and a person who is an identity of another has no identities: links go one step. */
function identityOfTwoPeople({ auth }: Config): ConfigProblem | undefined {
  const owner = new Map<string, string>();
  for (const [index, { subject, identities }] of auth.people.entries())
    for (const identity of identities) {
      const path = `auth.people.${index}.identities`;
      const other = owner.get(identity);
      if (identity === subject || other !== undefined)
        return {
          path,
          message: `expected another account than \`${identity}\`, which belongs to \`${other ?? subject}\` already`,
        };
      if (auth.people.some((each) => each.subject === identity && each.identities.length > 0))
        return {
          path,
          message: `expected \`${identity}\` to have no identities of its own, found some; list them all at \`${subject}\``,
        };
      owner.set(identity, subject);
    }
  return undefined;
}

function openWithoutAddress({ server }: Config): ConfigProblem | undefined {
  if (isLoopback(server.host) || server.publicUrl !== undefined || server.allowedHosts.length > 0) return undefined;
  return {
    path: 'server.publicUrl',
    message: `expected the address under which people come, since \`host\` is \`${server.host}\`, found nothing; name it or \`allowedHosts\``,
  };
}
