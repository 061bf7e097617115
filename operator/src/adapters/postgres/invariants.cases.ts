import { action, attempt, event, HASH, incident, move, OTHER_HASH, proposal, ROW, vote } from './invariants.fixture.ts';

/** Statements of one transaction that the database must refuse, and what refuses them. */
export interface Refusal {
  readonly statements: readonly string[];
  /** The constraint, or the SQLSTATE where no constraint has a name. */
  readonly by: string;
}

export const LONE_VOTE = vote('carol', 'approve');
const CLOSE = [event('I18', 'AwaitingApproval', 'Resolved', 5), move('Resolved', `, resolution_source = 'human'`)];

export const REFUSED: Readonly<Record<string, Refusal>> = {
  'an incident cannot change state without an event': { statements: [move('Acting')], by: 'incident_state_has_event' },
  'an event of an earlier transaction does not cover a later change': {
    statements: [`UPDATE incidents SET state = 'Triaging' WHERE id = '${ROW.incident}'`],
    by: 'incident_state_has_event',
  },
  'an incident cannot appear in the middle of its life': {
    statements: [incident(ROW.spare, 'Investigating'), event('I5', 'Triaging', 'Investigating', 1, ROW.spare)],
    by: 'incident_event_is_legal',
  },
  'an incident cannot appear without an event': {
    statements: [incident(ROW.spare, 'Detected')],
    by: 'incident_state_has_event',
  },
  'an event must name an edge that the state machine has': {
    statements: [event('I12', 'AwaitingApproval', 'Verifying', 5), move('Verifying')],
    by: 'incident_event_is_legal',
  },
  'an event cannot leave a state that the incident is not in': {
    statements: [event('I12', 'Acting', 'Verifying', 5), move('Verifying')],
    by: 'incident_event_is_legal',
  },
  'an event cannot claim a change that did not happen': {
    statements: [event('I10', 'AwaitingApproval', 'Acting', 5)],
    by: 'incident_event_took_place',
  },
  'of two edges in one transaction each needs its event': {
    statements: [event('I10', 'AwaitingApproval', 'Acting', 5), move('Acting'), move('Verifying')],
    by: 'incident_event_took_place',
  },
  'a terminal incident never moves again': {
    statements: [...CLOSE, event('I17', 'Resolved', 'Investigating', 6), move('Investigating')],
    by: 'incident_event_is_legal',
  },
  'two events cannot have one place in the log': {
    statements: [
      `INSERT INTO incident_events (incident_id, cluster, seq, kind, actor, origin) VALUES ('${ROW.incident}', 'c1', 4, 'note', 'alice', 'api')`,
    ],
    by: 'incident_events_incident_id_seq_key',
  },
  'an event has an author that exists': {
    statements: [
      `INSERT INTO incident_events (incident_id, cluster, seq, kind, actor, origin) VALUES ('${ROW.incident}', 'c1', 5, 'note', 'nobody', 'api')`,
    ],
    by: 'incident_events_actor_fkey',
  },
  'a transition names its edge': {
    statements: [
      `INSERT INTO incident_events (incident_id, cluster, seq, kind, actor, origin) VALUES ('${ROW.incident}', 'c1', 5, 'transition', 'alice', 'api')`,
    ],
    by: 'incident_event_is_legal',
  },
  'a fingerprint has one open incident': {
    statements: [incident(ROW.spare, 'Detected', { fingerprint: `'${HASH}'` })],
    by: 'ux_incident_open',
  },
  'an incident of the product itself never acts': {
    statements: [`UPDATE incidents SET is_self = true WHERE id = '${ROW.incident}'`],
    by: 'incidents_self_never_acts',
  },
  'a meta incident never acts': {
    statements: [`UPDATE incidents SET is_meta = true WHERE id = '${ROW.incident}'`],
    by: 'incidents_self_never_acts',
  },
  'an escalated incident says why': { statements: [move('Escalated')], by: 'incidents_escalated_says_why' },
  'a suppressed incident says why': { statements: [move('Suppressed')], by: 'incidents_suppressed_says_why' },
  'a resolved incident says by whom': { statements: [move('Resolved')], by: 'incidents_resolved_says_by_whom' },
  'a state that does not exist is refused': { statements: [move('Broken')], by: 'incidents_state_check' },
  'an incident is not its own cause': {
    statements: [
      `UPDATE incidents SET caused_by = id, absorbed_by = id, recurrence_of = id WHERE id = '${ROW.incident}'`,
    ],
    by: 'incidents_not_its_own_cause',
  },
  'a cause is in the same cluster': {
    statements: [incident(ROW.spare, 'Detected', { cluster: `'c2'`, caused_by: `'${ROW.incident}'` })],
    by: 'incidents_caused_by_cluster_fkey',
  },
  'a signal belongs to an incident of its own cluster': {
    statements: [`UPDATE signals SET cluster = 'c2' WHERE id = '${ROW.signal}'`],
    by: 'signals_incident_id_cluster_fkey',
  },
  'a signal that joined says where': {
    statements: [`UPDATE signals SET disposition = 'joined', incident_id = NULL WHERE id = '${ROW.signal}'`],
    by: 'signals_settled_says_where',
  },
  'a signal that opened nothing says why': {
    statements: [`UPDATE signals SET disposition = 'benign', incident_id = NULL WHERE id = '${ROW.signal}'`],
    by: 'signals_benign_says_why',
  },
  'a signal that was set aside says why': {
    statements: [
      `UPDATE signals SET disposition = 'poison', disposition_reason = NULL, incident_id = NULL WHERE id = '${ROW.signal}'`,
    ],
    by: 'signals_poison_says_why',
  },
  'an external key is one signal': {
    statements: [
      `INSERT INTO signals (id, cluster, source, external_key, kind, severity, reason, fingerprint, payload, status, received_at, last_seen_at)
       VALUES ('${ROW.spare}', 'c1', 'k8s', 'key', 'k', 's', 'r', '${HASH}', '{}', 'firing', app_now(), app_now())`,
    ],
    by: 'signals_cluster_source_external_key_key',
  },
  'a delivery that is settled says when': {
    statements: [
      `INSERT INTO intake (source, sender, body, body_sha256, alerts, status) VALUES ('alertmanager', 'x', '{}', '${HASH}', 1, 'Done')`,
    ],
    by: 'intake_settled',
  },
  'an incident has one live investigation': {
    statements: [
      `INSERT INTO investigations (id, cluster, incident_id, attempt, cause, executor, state, budget_steps, budget_usd, deadline_at)
       VALUES ('${ROW.spare}', 'c1', '${ROW.incident}', 2, 'auto', 'Rules', 'Queued', 25, 0, app_now())`,
    ],
    by: 'ux_investigation_live',
  },
  'an investigation by rules has no turn': {
    statements: [`UPDATE investigations SET turn_id = '${ROW.spare}' WHERE id = '${ROW.investigation}'`],
    by: 'investigations_rules_have_no_turn',
  },
  'an investigator never has a writing tool': {
    statements: [`UPDATE steps SET effect = 'external' WHERE id = '${ROW.step}'`],
    by: 'steps_of_investigators_never_write',
  },
  'a step belongs to a turn or an investigation': {
    statements: [`UPDATE steps SET investigation_id = NULL WHERE id = '${ROW.step}'`],
    by: 'steps_belong_somewhere',
  },
  'an investigation has one primary finding': {
    statements: [
      `INSERT INTO findings (id, investigation_id, ordinal, category, statement, certainty, is_primary, status)
       VALUES ('${ROW.spare}', '${ROW.investigation}', 2, 'unknown', 's', 'likely', true, 'grounded')`,
    ],
    by: 'ux_finding_primary',
  },
  'a dropped finding is not primary': {
    statements: [`UPDATE findings SET status = 'dropped', drop_reason = 'r' WHERE id = '${ROW.finding}'`],
    by: 'findings_dropped_say_why',
  },
  'accepted evidence cites a step that exists': {
    statements: [
      `INSERT INTO finding_evidence (id, finding_id, cited_step, excerpt, accepted) VALUES ('${ROW.spare}', '${ROW.finding}', 's1', 'text', true)`,
    ],
    by: 'finding_evidence_accepted_has_step',
  },
  'rejected evidence says why': {
    statements: [
      `INSERT INTO finding_evidence (id, finding_id, cited_step, excerpt, accepted) VALUES ('${ROW.spare}', '${ROW.finding}', 's1', 'text', false)`,
    ],
    by: 'finding_evidence_rejected_says_why',
  },
  'an investigation has one plan': {
    statements: [
      `INSERT INTO plans (id, cluster, incident_id, investigation_id, producer, raw, schema_version, status, cited_findings)
       VALUES ('${ROW.spare}', 'c1', '${ROW.incident}', '${ROW.investigation}', 'rules', '{}', 1, 'empty', '{}')`,
    ],
    by: 'plans_investigation_id_key',
  },
  'an action starts as proposed': { statements: [action(ROW.spare, 'kk', 'Admitted')], by: 'action_moves_legally' },
  'an action belongs to the cluster of its plan': {
    statements: [action(ROW.spare, 'kk', 'Proposed', 'c2')],
    by: 'actions_plan_id_cluster_fkey',
  },
  'an action is made once': {
    statements: [`${action(ROW.spare, 'kk', 'Proposed').replace(`'kk'`, `'k'`)}`],
    by: 'actions_idempotency_key_key',
  },
  'an action cannot skip admission': {
    statements: [`UPDATE actions SET state = 'Executing' WHERE id = '${ROW.action}'`],
    by: 'action_moves_legally',
  },
  'an action that awaits approval is not admitted': {
    statements: [`UPDATE actions SET state = 'Admitted' WHERE id = '${ROW.action}'`],
    by: 'action_moves_legally',
  },
  'without a person only the decision Allow admits': {
    statements: [
      action(ROW.spare, 'kk', 'Proposed'),
      `UPDATE actions SET state = 'Admitted', decision = 'RequireApproval' WHERE id = '${ROW.spare}'`,
    ],
    by: 'action_moves_legally',
  },
  'an action is not approved while its proposal is open': {
    statements: [`UPDATE actions SET state = 'Approved' WHERE id = '${ROW.action}'`],
    by: 'action_approved_has_proposal',
  },
  'an action has one open proposal': { statements: [proposal(ROW.spare, 2, OTHER_HASH)], by: 'ux_proposal_open' },
  'a proposal starts open': {
    statements: [proposal(ROW.spare, 2, OTHER_HASH, 'Approved')],
    by: 'proposal_moves_legally',
  },
  'a settled proposal says when': {
    statements: [`UPDATE proposals SET state = 'Expired' WHERE id = '${ROW.proposal}'`],
    by: 'proposals_settled',
  },
  'a void proposal says why': {
    statements: [`UPDATE proposals SET state = 'Void', settled_at = app_now() WHERE id = '${ROW.proposal}'`],
    by: 'proposals_void_says_why',
  },
  'a settled proposal never opens again': {
    statements: [
      `UPDATE proposals SET state = 'Expired', settled_at = app_now() WHERE id = '${ROW.proposal}'`,
      `UPDATE proposals SET state = 'Open', settled_at = NULL WHERE id = '${ROW.proposal}'`,
    ],
    by: 'proposal_moves_legally',
  },
  'what was shown is never edited': {
    statements: [`UPDATE proposals SET canonical = 'other' WHERE id = '${ROW.proposal}'`],
    by: 'proposal_is_frozen',
  },
  'a quorum is not lowered afterwards': {
    statements: [`UPDATE proposals SET quorum = 1 WHERE id = '${ROW.proposal}'`],
    by: 'proposal_is_frozen',
  },
  'an expiry is not moved afterwards': {
    statements: [`UPDATE proposals SET expires_at = expires_at + interval '1 day' WHERE id = '${ROW.proposal}'`],
    by: 'proposal_is_frozen',
  },
  'a proposal is not approved below its quorum': {
    statements: [
      LONE_VOTE,
      `UPDATE proposals SET state = 'Approved', settled_at = app_now() WHERE id = '${ROW.proposal}'`,
    ],
    by: 'proposal_decided_has_votes',
  },
  'a proposal is not approved over a denial': {
    statements: [
      LONE_VOTE,
      vote('alice', 'approve'),
      vote('bob', 'deny'),
      `UPDATE proposals SET state = 'Approved', settled_at = app_now() WHERE id = '${ROW.proposal}'`,
    ],
    by: 'proposal_decided_has_votes',
  },
  'a proposal is not denied by nobody': {
    statements: [`UPDATE proposals SET state = 'Denied', settled_at = app_now() WHERE id = '${ROW.proposal}'`],
    by: 'proposal_decided_has_votes',
  },
  'a person votes once': { statements: [LONE_VOTE, LONE_VOTE], by: 'approvals_proposal_id_actor_key' },
  'a vote is for the text that was shown': {
    statements: [vote('carol', 'approve', OTHER_HASH)],
    by: 'approval_is_for_what_was_shown',
  },
  'a vote has one subject': {
    statements: [
      `INSERT INTO approvals (id, decision, actor, source, subject_sha256) VALUES ('${ROW.spare}', 'deny', 'alice', 'api', '${HASH}')`,
    ],
    by: 'approvals_one_subject',
  },
  'an action has one attempt under way': {
    statements: [attempt(1, 'dry_run', 'started'), attempt(1, 'execute', 'started')],
    by: 'ux_attempt_open',
  },
  'what succeeded is never sent again': {
    statements: [attempt(1, 'execute', 'succeeded'), attempt(2, 'execute', 'started')],
    by: 'ux_attempt_effect',
  },
  'what may have been done is never sent again': {
    statements: [attempt(1, 'execute', 'unknown'), attempt(2, 'execute', 'started')],
    by: 'ux_attempt_effect',
  },
  'a dry run cannot have an unknown effect': {
    statements: [attempt(1, 'dry_run', 'unknown')],
    by: 'action_attempts_dry_run_changes_nothing',
  },
  'a verification that ran has a result': {
    statements: [
      `INSERT INTO verifications (action_id, attempt, question, due_at, ran_at) VALUES ('${ROW.action}', 1, 'converged', app_now(), app_now())`,
    ],
    by: 'verifications_ran_has_result',
  },
  'there is no fourth verification': {
    statements: [
      `INSERT INTO verifications (action_id, attempt, question, due_at) VALUES ('${ROW.action}', 4, 'converged', app_now())`,
    ],
    by: 'verifications_attempt_check',
  },
  'a budget entry is made once': {
    statements: [1, 2].map(
      () =>
        `INSERT INTO budget_entries (budget, scope_key, amount, ref_kind, ref_id) VALUES ('actions', '', 1, 'action', '${ROW.action}')`,
    ),
    by: 'budget_entries_budget_scope_key_ref_kind_ref_id_key',
  },
  'a suppressed delivery says why': {
    statements: [
      `INSERT INTO notification_deliveries (id, subject_kind, subject_id, route, channel, recipient, payload, payload_version, on_unknown, status, idempotency_key)
       VALUES ('${ROW.spare}', 'incident', '1', 'r', 'webhook', 'x', '{}', 1, 'resend', 'Suppressed', 'k')`,
    ],
    by: 'deliveries_suppressed_says_why',
  },
  'an epoch never goes back': {
    statements: [`UPDATE leases SET epoch = 4 WHERE kind = 'leader'`],
    by: 'lease_epoch_grows',
  },
  'a new holder means a new epoch': {
    statements: [`UPDATE leases SET run_id = '${ROW.other}' WHERE kind = 'leader'`],
    by: 'lease_epoch_grows',
  },
  'a lease is never deleted': { statements: ['DELETE FROM leases'], by: 'lease_epoch_grows' },
  'a token is stored as a hash': {
    statements: [
      `INSERT INTO api_tokens (token_sha256, subject, name, role, namespaces) VALUES ('secret', 'alice', 'n', 'viewer', '{}')`,
    ],
    by: 'api_tokens_token_sha256_check',
  },
  'an account is not its own person': {
    statements: [`UPDATE principals SET person = 'alice' WHERE subject = 'alice'`],
    by: 'principals_person_is_another',
  },
  'two accounts of one person are no quorum': {
    statements: [
      vote('alice', 'approve'),
      vote('bob', 'approve'),
      `UPDATE principals SET person = 'alice' WHERE subject = 'bob'`,
      `UPDATE proposals SET state = 'Approved', settled_at = app_now() WHERE id = '${ROW.proposal}'`,
    ],
    by: 'proposal_decided_has_votes',
  },
  'a token has one of the roles': {
    statements: [
      `INSERT INTO api_tokens (token_sha256, subject, name, role, namespaces) VALUES (sha256('t'), 'alice', 'n', 'owner', '{}')`,
    ],
    by: 'api_tokens_role_check',
  },
  'a grant that came with a token names the token': {
    statements: [
      `INSERT INTO role_grants (subject, role, granted_by, source) VALUES ('alice', 'viewer', 'alice', 'token')`,
    ],
    by: 'role_grants_token_names_its_token',
  },
  'a grant has a known source': {
    statements: [
      `INSERT INTO role_grants (subject, role, granted_by, source) VALUES ('alice', 'viewer', 'alice', 'luck')`,
    ],
    by: 'role_grants_source_check',
  },
  'a revoked grant names who revoked it': {
    statements: [
      `INSERT INTO role_grants (subject, role, granted_by, revoked_at) VALUES ('alice', 'viewer', 'alice', app_now())`,
    ],
    by: 'role_grants_revoked_by_somebody',
  },
  'a grant of one source is made once': {
    statements: [
      `INSERT INTO role_grants (subject, role, granted_by) VALUES ('alice', 'viewer', 'alice')`,
      `INSERT INTO role_grants (subject, role, granted_by) VALUES ('alice', 'viewer', 'bob')`,
    ],
    by: 'ux_role_grant',
  },
  'a role that does not exist is refused': {
    statements: [`INSERT INTO role_grants (subject, role, granted_by) VALUES ('alice', 'owner', 'alice')`],
    by: 'role_grants_role_check',
  },
  'no more pods are unready than there are': {
    statements: [clusterHealth(1, 4)],
    by: 'cluster_health_counts',
  },
  'the health of a cluster is counted by a leader': {
    statements: [clusterHealth(0)],
    by: 'cluster_health_epoch_check',
  },
  'an earlier leader does not count over a later one': {
    statements: [clusterHealth(2), 'UPDATE cluster_health SET epoch = 1'],
    by: 'cluster_health_epoch_grows',
  },
};

function clusterHealth(epoch: number, unready = 0): string {
  return `INSERT INTO cluster_health (cluster, pods, unready_pods, nodes, unready_nodes, counted_at, epoch)
    SELECT id, 3, ${unready}, 1, 0, app_now(), ${epoch} FROM clusters LIMIT 1`;
}
