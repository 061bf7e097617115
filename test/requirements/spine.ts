export interface Requirement {
  readonly id: string;
  /** What must be true, in one sentence. */
  readonly behaviour: string;
  /** What a user would suffer if it were not. */
  readonly risk: 'safety' | 'trust' | 'data-loss' | 'noise';
  /** A part of it that falls due later, or a limit of the proof. */
  readonly restriction?: string;
}

/** The requirements of one fault's way from signal to verified repair. */
export const SPINE: readonly Requirement[] = [
  {
    id: 'H3-2',
    behaviour: 'only fingerprint and dedupe open an incident from a signal; a repeat joins it and is counted',
    risk: 'noise',
  },
  {
    id: 'H3-3',
    behaviour:
      'the stages run in one order, none skipped: a plan without a grounded finding never reaches the executor',
    risk: 'safety',
    restriction: 'the model half falls due with the model',
  },
  {
    id: 'H3-5',
    behaviour: 'every executed change was first sent as a dry run with the same body; a refused dry run ends it',
    risk: 'safety',
  },
  {
    id: 'H3-6',
    behaviour: 'verification ends in resolved, undone, or in a person’s hands, and in nothing else',
    risk: 'trust',
  },
  {
    id: 'H3-7',
    behaviour: 'what investigates or plans cannot reach the writing client, and sends only reads',
    risk: 'safety',
    restriction: 'the model half falls due with the model',
  },
  { id: 'H3-9', behaviour: 'an investigation can register only tools that read', risk: 'safety' },
  {
    id: 'H3-12',
    behaviour: 'planning by a model is a separate call without tools and with a response schema',
    risk: 'safety',
    restriction: 'falls due with the model',
  },
  {
    id: 'H3-13',
    behaviour: 'the executor is pure code over a closed set of typed actions; each makes exactly one kind of call',
    risk: 'safety',
  },
  {
    id: 'H3-19',
    behaviour: 'incident states are the same closed set in code and database, and an illegal transition writes nothing',
    risk: 'data-loss',
  },
  {
    id: 'H3-22',
    behaviour:
      'a waiting incident acts on approval and escalates when time is up; a late approval is told it was decided',
    risk: 'safety',
  },
  {
    id: 'H3-23',
    behaviour: 'an action is verified; a failed one is undone and escalates, never resolves',
    risk: 'trust',
  },
  {
    id: 'H3-26',
    behaviour: 'one module moves an incident, one event row an edge; the database refuses a move without its event',
    risk: 'data-loss',
  },
  { id: 'H3-30', behaviour: 'grouping is deterministic code; no model is reachable from ingest', risk: 'noise' },
  {
    id: 'H3-31',
    behaviour: 'the fingerprint covers source, kind, cluster, namespace, owner and reason with unambiguous boundaries',
    risk: 'noise',
  },
  { id: 'H3-32', behaviour: 'signals are keyed on the owner, never on the pod', risk: 'noise' },
  { id: 'H3-45', behaviour: 'evidence must cite a step of the same investigation', risk: 'trust' },
  {
    id: 'H3-46',
    behaviour: 'an excerpt must stand in the stored step text, white space aside; an empty one never counts',
    risk: 'trust',
  },
  {
    id: 'H3-47',
    behaviour: 'ungrounded evidence drops its finding, and a plan on a dropped finding is refused and escalates',
    risk: 'trust',
  },
  {
    id: 'H3-49',
    behaviour: 'grounding is enforced by code in one place, whatever an investigator was told',
    risk: 'trust',
    restriction: 'the model half falls due with the model',
  },
  {
    id: 'H3-52',
    behaviour: 'the process refuses to start when it holds, or may hold, a permission it must never have',
    risk: 'safety',
  },
  {
    id: 'H3-53',
    behaviour: 'policy is pure, deterministic, denies by default and lists every refusing gate in order',
    risk: 'safety',
  },
  {
    id: 'H3-54',
    behaviour: 'the product’s own and the system namespaces can never be acted on, whatever the configuration says',
    risk: 'safety',
  },
  { id: 'H3-55', behaviour: 'budgets are rows and survive a restart', risk: 'safety' },
  {
    id: 'H3-58',
    behaviour: 'the cooldown of a workload is checked in the transaction that admits the action',
    risk: 'safety',
  },
  {
    id: 'H3-59',
    behaviour: 'three independent switches each stop acting; the safest wins; changes bite without restart',
    risk: 'safety',
  },
  {
    id: 'H3-67',
    behaviour: 'an action is checked three times by deterministic predicates; only the last may fail it',
    risk: 'trust',
  },
  { id: 'H3-68', behaviour: 'the three checks ask three different questions', risk: 'trust' },
  { id: 'H3-69', behaviour: 'a check that could not run is inconclusive and never undoes anything', risk: 'safety' },
  {
    id: 'H3-72',
    behaviour: 'an executed action leaves an Event on its target; failing to write it changes nothing',
    risk: 'trust',
  },
  {
    id: 'H3-151',
    behaviour: 'who must be told is a row of the same commit as the escalation, and is told after a crash',
    risk: 'data-loss',
  },
  {
    id: 'H3-152',
    behaviour: 'deliveries are derived from event rows in one place, in the same transaction',
    risk: 'data-loss',
  },
  { id: 'H3-154', behaviour: 'every transition is also published live', risk: 'trust' },
  {
    id: 'H3-197',
    behaviour: 'switch, budget and cooldown checks and the admission are one transaction on the locked workload',
    risk: 'safety',
  },
  { id: 'H3-198', behaviour: 'admission is safe for any number of replicas', risk: 'safety' },
  { id: 'H4-20', behaviour: 'a call whose outcome is not known is read back, never sent again', risk: 'safety' },
  {
    id: 'H4-116',
    behaviour: 'an executed call whose result could not be stored is settled by reading back',
    risk: 'safety',
  },
];

/** Due only with a later part although their block is due now. */
export const LATER: ReadonlySet<string> = new Set(['H3-12']);
