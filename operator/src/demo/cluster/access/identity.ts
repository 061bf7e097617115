/** Who asks, as authentication established it. */
export interface Identity {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const AUTHENTICATED = 'system:authenticated';
export const MASTERS = 'system:masters';
export const SERVICE_ACCOUNT_PREFIX = 'system:serviceaccount:';

export const ANONYMOUS: Identity = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

export function userIdentity(username: string, groups: readonly string[] = []): Identity {
  return { username, groups: [...new Set([...groups, AUTHENTICATED])] };
}

/** `credential`: the id of the token that was shown. */
export function serviceAccountIdentity(namespace: string, name: string, uid?: string, credential?: string): Identity {
  return {
    username: `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`,
    ...(uid ? { uid } : {}),
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED],
    ...(credential ? { extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${credential}`] } } : {}),
  };
}
