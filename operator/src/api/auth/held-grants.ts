import { type Grant, intersectGrants } from '@hephaisto/core/principal/access';
import type { Role } from '@hephaisto/core/principal/service';

const SELECT_GRANTS = `coalesce((SELECT jsonb_agg(jsonb_build_object('role', g.role, 'namespace', g.namespace) ORDER BY g.namespace, g.role)
  FROM (SELECT DISTINCT x.role, x.namespace FROM role_grants x WHERE x.subject = p.subject AND x.revoked_at IS NULL AND`;

/** SQL: grants of the principal `p` itself. Grants that came with a token belong to that token alone. */
export const HELD_GRANTS = `${SELECT_GRANTS} x.source <> 'token') g), '[]'::jsonb)`;

/** SQL: grants of the principal `p` that bound the given token: its own, and the one that came with this token. */
export function tokenGrants(token: string): string {
  return `${SELECT_GRANTS} (x.source <> 'token' OR x.token_sha256 = ${token}.token_sha256)) g), '[]'::jsonb)`;
}

export interface TokenGrantRow {
  readonly role: Role;
  readonly namespaces: readonly string[];
  readonly grants: readonly Grant[];
}

/** A token's own grant, as far as its principal holds it. */
export function grantsOfToken({ role, namespaces, grants }: TokenGrantRow): readonly Grant[] {
  return intersectGrants(
    namespaces.map((namespace) => ({ role, namespace })),
    grants,
  );
}
