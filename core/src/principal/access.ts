import { ROLES, type Role } from './service.ts';

/** One role in one namespace; the empty namespace means everywhere. */
export interface Grant {
  readonly role: Role;
  readonly namespace: string;
}

/** Who asks, as the server has established it. */
export interface Caller {
  readonly subject: string;
  readonly displayName: string;
  readonly grants: readonly Grant[];
}

export type AccessVerdict =
  | { readonly kind: 'allowed'; readonly reason: 'role-held'; readonly message: string }
  | { readonly kind: 'refused'; readonly reason: 'role-missing'; readonly message: string };

/** Whether holding `held` includes `needed`. */
export function includesRole(held: Role, needed: Role): boolean {
  return ROLES.indexOf(held) >= ROLES.indexOf(needed);
}

/**
 * Whether the caller may do what needs `needed` to something in `namespace`. `undefined` is something that lies in no namespace (a node,
 * a switch) and needs a grant for everywhere, since a team's grant says nothing about what all share.
 */
export function judgeAccess(caller: Caller, needed: Role, namespace: string | undefined): AccessVerdict {
  const held = caller.grants.some(
    (grant) => includesRole(grant.role, needed) && (grant.namespace === '' || grant.namespace === namespace),
  );
  if (held) return { kind: 'allowed', reason: 'role-held', message: `${caller.subject} is ${needed} here` };
  const where = namespace === undefined ? 'everywhere' : `for namespace \`${namespace}\``;
  return {
    kind: 'refused',
    reason: 'role-missing',
    message: `expected the role ${needed} ${where}, found ${spell(caller)}`,
  };
}

/** Whether the caller holds the role anywhere at all: enough to ask for a list, which is then cut to what they may read. */
export function judgeAccessAnywhere(caller: Caller, needed: Role): AccessVerdict {
  if (caller.grants.some((grant) => includesRole(grant.role, needed)))
    return { kind: 'allowed', reason: 'role-held', message: `${caller.subject} is ${needed} somewhere` };
  return { kind: 'refused', reason: 'role-missing', message: `expected the role ${needed}, found ${spell(caller)}` };
}

/**
 * The rights that both lists give: what a token may do, whose own grants bound it and whose principal may have lost some meanwhile. The
 * result is short: a grant that another one includes is left out.
 */
export function intersectGrants(own: readonly Grant[], held: readonly Grant[]): readonly Grant[] {
  const common = own.flatMap((a) => held.flatMap((b) => commonGrant(a, b) ?? []));
  return common.filter(
    (grant, index) =>
      !common.some(
        (other, place) => place !== index && covers(other, grant) && (!covers(grant, other) || place < index),
      ),
  );
}

function commonGrant(a: Grant, b: Grant): Grant | undefined {
  const role = includesRole(a.role, b.role) ? b.role : a.role;
  if (a.namespace === b.namespace || b.namespace === '') return { role, namespace: a.namespace };
  return a.namespace === '' ? { role, namespace: b.namespace } : undefined;
}

/** Whether every right of the narrow grant is one of the wide grant too. */
function covers(wide: Grant, narrow: Grant): boolean {
  return includesRole(wide.role, narrow.role) && (wide.namespace === '' || wide.namespace === narrow.namespace);
}

/** Whether the list holds every right of the grant. */
export function holdsGrant(held: readonly Grant[], grant: Grant): boolean {
  return held.some((each) => covers(each, grant));
}

/** One vote: its person, and the person who made the credential that the vote came with, where that is known. */
export interface VoteOrigin {
  readonly person: string;
  /** Absent: only the person itself could have used the credential. */
  readonly madeBy: string | undefined;
}

/**
 * Whether the two votes are surely of different people. The maker of a sign-in link or token has held its secret, so each vote may be its
 * person's or the maker's. Counting by the name of the account alone would let an admin agree with themselves in the name of another.
 */
export function areDifferentPeople(a: VoteOrigin, b: VoteOrigin): boolean {
  const possible = [b.person, b.madeBy];
  return !possible.includes(a.person) && (a.madeBy === undefined || !possible.includes(a.madeBy));
}

/** Namespaces whose incidents the caller may read. */
export type Readable =
  | { readonly kind: 'everything' }
  | { readonly kind: 'namespaces'; readonly namespaces: readonly string[] };

export function readableBy(caller: Caller): Readable {
  if (caller.grants.some((grant) => grant.namespace === '')) return { kind: 'everything' };
  return { kind: 'namespaces', namespaces: [...new Set(caller.grants.map((grant) => grant.namespace))].sort() };
}

function spell(caller: Caller): string {
  if (caller.grants.length === 0) return 'no role';
  return caller.grants.map((g) => (g.namespace === '' ? g.role : `${g.role} for \`${g.namespace}\``)).join(', ');
}
