import { ACTION_KINDS, describeAction, isActionType } from '@hephaisto/core/action/catalogue';
import type { AnyActionRequest } from '@hephaisto/core/action/types';
import type { IncidentRef, PersonRef } from '@hephaisto/core/report/named';

/** Where a value may be absent the API says null. */
export function iso(date: Date): string;
export function iso(date: Date | null): string | null;
export function iso(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

export function person(subject: string, name: string | null): PersonRef;
export function person(subject: string | null, name: string | null): PersonRef | null;
export function person(subject: string | null, name: string | null): PersonRef | null {
  return subject === null ? null : { subject, name: name ?? subject };
}

export interface RefRow {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly state: string;
}

export function reference(row: RefRow): IncidentRef {
  return { id: row.id, number: row.number, title: row.title, state: row.state };
}

export type Facts = Record<string, unknown>;

/** An object of JSON, or nothing when the column holds something else. */
export function facts(value: unknown): Facts | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Facts) : null;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export interface ActionShape {
  readonly type: string;
  readonly params: unknown;
  readonly workload_kind: string;
  readonly workload_namespace: string;
  readonly workload_name: string;
  readonly target_kind: string;
  readonly target_namespace: string;
  readonly target_name: string;
  readonly target_uid: string;
}

/** The action in the imperative. A stored row that this version no longer understands is named, not hidden. */
export function titleOf(row: ActionShape): string {
  const plain = `${row.type} ${row.target_kind}/${row.target_name}`;
  if (!isActionType(row.type) || !ACTION_KINDS[row.type].schema.safeParse(row.params).success) return plain;
  // The pair of type and params has just been checked against the kind's schema.
  return describeAction({
    type: row.type,
    workload: { kind: row.workload_kind, namespace: row.workload_namespace, name: row.workload_name },
    target: { kind: row.target_kind, namespace: row.target_namespace, name: row.target_name, uid: row.target_uid },
    params: row.params,
  } as AnyActionRequest);
}
