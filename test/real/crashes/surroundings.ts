import type { Fault, FaultyRequest } from '../../../operator/src/demo/cluster/faults.ts';
import { DEPLOYMENTS } from '../../../operator/src/demo/kube-client/resource.ts';
import type { Running } from './running.ts';

/** The operator's own calls that would change a Deployment, or say what would change. */
export function onChange(dryRun: boolean): (request: FaultyRequest) => boolean {
  return (request) =>
    request.verb === 'patch' &&
    request.resource === 'deployments' &&
    request.dryRun === dryRun &&
    request.user.startsWith('system:serviceaccount:hephaisto:');
}

/** What befalls the n-th such call and no other. */
export function befalls(
  run: Running,
  which: (request: FaultyRequest) => boolean,
  nth: number,
  fault: Fault,
  also?: () => void,
): void {
  let calls = 0;
  run.world.cluster.faults.add({
    when(request) {
      if (!which(request)) return false;
      calls += 1;
      if (calls !== nth) return false;
      also?.();
      return true;
    },
    fault,
    times: 1,
  });
}

/** Somebody else changes something about the object that nothing rests on. */
export function touch(run: Running, name: string): void {
  void run.world.client.patch(DEPLOYMENTS, run.namespace, name, [
    { op: 'add', path: '/metadata/labels/touched', value: 'yes' },
  ]);
}

export function scale(run: Running, name: string, replicas: number): void {
  void run.world.client.patch(DEPLOYMENTS, run.namespace, name, [
    { op: 'replace', path: '/spec/replicas', value: replicas },
  ]);
}

export const FORBIDDEN: Fault = { kind: 'answer', status: 403, reason: 'Forbidden', message: 'no longer allowed' };
export const UNWELL: Fault = { kind: 'answer', status: 503, reason: 'ServiceUnavailable', message: 'not now' };
export const A_MOMENT: Fault = { kind: 'delay', milliseconds: 400 };
export const BUSY: Fault = { kind: 'answer', status: 429, reason: 'TooManyRequests', message: 'too many requests' };
export const LOST: Fault = { kind: 'lost-answer' };

/** A statement that makes each new row of a table be held by somebody else for a while, so that people come first. */
export function heldForAWhile(table: 'actions' | 'investigations', seconds: number): readonly string[] {
  const kind = table === 'actions' ? 'action' : 'investigation';
  return [
    `CREATE FUNCTION planted_hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO leases (kind, subject_key, run_id, epoch, holder, acquired_at, renewed_at, expires_at)
       VALUES ('${kind}', NEW.id::text, gen_random_uuid(), 1, '{"pod":"planted","bootId":"planted"}', app_now(), app_now(),
         app_now() + interval '${seconds} seconds') ON CONFLICT DO NOTHING;
       RETURN NULL; END $$`,
    `CREATE TRIGGER planted_hold AFTER INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION planted_hold()`,
  ];
}

/** A statement that gives an action a parameter that no version knows, as soon as it is in the state. */
export function unknownParameter(state: 'Approved'): readonly string[] {
  return [
    `CREATE FUNCTION planted_parameter() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF NEW.state = '${state}' THEN NEW.params := NEW.params || '{"planted":true}'; END IF;
       RETURN NEW; END $$`,
    'CREATE TRIGGER planted_parameter BEFORE UPDATE ON actions FOR EACH ROW EXECUTE FUNCTION planted_parameter()',
  ];
}

/** A statement that refuses rows of a table on a condition over `NEW`. */
export function refusedRows(table: string, condition: string, errcode = 'raise_exception'): readonly string[] {
  return [
    `CREATE FUNCTION planted_refusal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF ${condition} THEN RAISE EXCEPTION 'planted' USING ERRCODE = '${errcode}'; END IF;
       RETURN NEW; END $$`,
    `CREATE TRIGGER planted_refusal BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION planted_refusal()`,
  ];
}
