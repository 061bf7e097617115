import type { Requirement } from './spine.ts';

/** The requirements of a model that investigates and plans: the channel, the durable turn, its budgets and its limits. */
export const MODEL: readonly Requirement[] = [
  {
    id: 'H3-10',
    behaviour: 'no tool is reached but through the one recorder, which writes, caps, redacts and charges',
    risk: 'trust',
  },
  {
    id: 'H3-11',
    behaviour: 'an investigation has budgets of steps, time, calls and dollars; the one that ended it is named',
    risk: 'trust',
  },
  {
    id: 'H3-16',
    behaviour: 'orders in logs, events and alerts, and a model that obeys them, lead to no write and a named refusal',
    risk: 'safety',
  },
  {
    id: 'H3-17',
    behaviour: 'tools and a response schema never stand in one request, on any wire',
    risk: 'trust',
  },
  {
    id: 'H3-143',
    behaviour:
      'calls beyond the hour’s dollars are not sent; beyond twice as much acting alone is latched off until a person lifts it',
    risk: 'trust',
  },
  {
    id: 'H4-69',
    behaviour: 'an investigation out of budget makes one more call, which can only conclude',
    risk: 'trust',
  },
  {
    id: 'H4-78',
    behaviour: 'each failure of a provider ends in its own way: tried again, given up, or ours to correct',
    risk: 'trust',
  },
  {
    id: 'H4-80',
    behaviour: 'each wire’s reasons for stopping become one vocabulary; an unknown one is told as such',
    risk: 'trust',
  },
  {
    id: 'H4-84',
    behaviour: 'whatever ids a provider sends, each call has its result under an id that every wire takes',
    risk: 'trust',
  },
  {
    id: 'H4-87',
    behaviour: 'results go back in the order of the calls, whichever was read first',
    risk: 'trust',
  },
  { id: 'H4-98', behaviour: 'a tool that fails is an answer for the model, not the end of the turn', risk: 'trust' },
  {
    id: 'H4-114',
    behaviour: 'an investigation whose owner died is taken up again, whatever it had committed',
    risk: 'data-loss',
  },
  {
    id: 'H4-118',
    behaviour: 'a provider’s 429 and 5xx are tried again as it asks, within the deadline',
    risk: 'trust',
  },
  {
    id: 'H1-12',
    behaviour: 'system text stands apart from the messages, and nothing that was read is ever part of it',
    risk: 'safety',
  },
  { id: 'H1-14', behaviour: 'messages are of the user or the assistant, and of nobody else', risk: 'safety' },
  {
    id: 'H1-31',
    behaviour: 'a call costs its tokens by kind: fresh, read from and written to a cache, and answered',
    risk: 'trust',
  },
  {
    id: 'H1-36',
    behaviour: 'a provider’s signatures go back byte for byte, and thinking is shown to nobody',
    risk: 'trust',
  },
  {
    id: 'H1-55',
    behaviour: 'what is reserved for an answer is what the wire allows it',
    risk: 'trust',
  },
  {
    id: 'H1-56',
    behaviour: 'an answer that was cut off is asked for once more, with all the room the model has',
    risk: 'trust',
  },
  {
    id: 'H1-57',
    behaviour: 'an answer cut off at the model’s maximum is a failure by name; half a plan is never used',
    risk: 'safety',
  },
  {
    id: 'H3-37',
    behaviour: 'a log’s digest holds no terminal colours and no leading times but as first and last seen',
    risk: 'trust',
  },
  {
    id: 'H3-38',
    behaviour: 'log lines that differ only in ids, numbers, addresses and durations are one pattern',
    risk: 'trust',
  },
  {
    id: 'H3-39',
    behaviour: 'patterns of a log come by count, with first and last time and a line as it stood',
    risk: 'trust',
  },
  {
    id: 'H3-40',
    behaviour: 'the last forty lines of a log are kept as they stood, and a cut is marked',
    risk: 'trust',
  },
  {
    id: 'H3-41',
    behaviour: 'a line that names trouble is kept as it stood, with three lines around it',
    risk: 'trust',
  },
  {
    id: 'H3-42',
    behaviour: 'a log’s digest is never longer than its cap, and says what it left out',
    risk: 'trust',
  },
  {
    id: 'H3-43',
    behaviour: 'the raw text behind a step is kept whole for people, and what cites it says where',
    risk: 'trust',
  },
  {
    id: 'H3-44',
    behaviour: 'a raw log never reaches a model: the digest does',
    risk: 'trust',
  },
  {
    id: 'H3-48',
    behaviour: 'each quotation that does not stand is counted by its reason',
    risk: 'trust',
  },
  {
    id: 'H3-78',
    behaviour: 'nobody who investigates reads in a namespace that is closed, nor its metrics, alerts and silences',
    risk: 'safety',
  },
  {
    id: 'H4-44',
    behaviour: 'the head of a conversation is the same bytes from its first call to its last',
    risk: 'trust',
  },
  {
    id: 'H4-81',
    behaviour: 'what is asked twice in one message is read once, and both askings are answered',
    risk: 'trust',
  },
  {
    id: 'H4-83',
    behaviour: 'a call of a tool that does not exist is answered like any other, and reaches nothing',
    risk: 'safety',
  },
  {
    id: 'H1-15',
    behaviour: 'there is no system text in the middle of a conversation',
    risk: 'safety',
  },
  {
    id: 'H1-29',
    behaviour: 'what was read, and what third parties wrote, is never part of the instructions',
    risk: 'safety',
  },
  {
    id: 'H1-30',
    behaviour: 'a model that follows none of its instructions does no more harm than one that follows all',
    risk: 'safety',
  },
  {
    id: 'H1-34',
    behaviour: 'tokens that came from a provider’s cache are told with each answer, as the provider counts them',
    risk: 'trust',
  },
  {
    id: 'H4-113',
    behaviour: 'a look that was admitted and not begun when its process died is begun by another',
    risk: 'data-loss',
  },
  {
    id: 'H4-115',
    behaviour: 'a read that was announced and not made when its process died stands in the journal, and is made again',
    risk: 'data-loss',
  },
];
