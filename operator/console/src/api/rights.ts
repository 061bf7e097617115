import { judgeAccess } from '@hephaisto/core/principal/access';
import type { Role } from '@hephaisto/core/principal/service';
import type { Session } from '@hephaisto/core/report/installation';

/** Whether the signed-in person may do what needs `role` there; the sentence says what is missing. The server judges again. */
export type Right = { readonly kind: 'may' } | { readonly kind: 'may-not'; readonly why: string };

const MAY: Right = { kind: 'may' };

/** `namespace` null: what lies in none, a switch or a node. */
export function rightTo(session: Session | null | undefined, role: Role, namespace: string | null): Right {
  if (session === null || session === undefined) return { kind: 'may-not', why: 'sign in first' };
  const caller = { subject: session.subject, displayName: session.name, grants: session.grants };
  const verdict = judgeAccess(caller, role, namespace ?? undefined);
  if (verdict.kind === 'allowed') return MAY;
  const where = namespace === null ? 'for everything' : `for ${namespace}`;
  return { kind: 'may-not', why: `needs ${role} ${where}; you are ${rolesText(session)}` };
}

/** `approver`, `responder for shop`, or `without a role`. */
export function rolesText(session: Session): string {
  if (session.grants.length === 0) return 'without a role';
  return session.grants.map((g) => (g.namespace === '' ? g.role : `${g.role} for ${g.namespace}`)).join(', ');
}
