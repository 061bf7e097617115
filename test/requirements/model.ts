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
];
