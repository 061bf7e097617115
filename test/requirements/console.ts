import type { Requirement } from './spine.ts';

/** The requirements of what a person sees live, as far as they are true before the rest of the console is. */
export const CONSOLE: readonly Requirement[] = [
  {
    id: 'H3-27',
    behaviour:
      'the column says in which state an incident is, the log for how long it was in each; the console shows both',
    risk: 'trust',
  },
  {
    id: 'H3-150',
    behaviour:
      'what wakes a browser only says that there is something; what it is, is read from the database, complete',
    risk: 'trust',
  },
  {
    id: 'H0-133',
    behaviour: 'a browser follows the stream by its cookie, a program by its token, nobody by neither',
    risk: 'safety',
  },
  {
    id: 'H0-137',
    behaviour: 'a quiet stream says that it lives, and asks at that whether its listener still may',
    risk: 'trust',
  },
  {
    id: 'H0-138',
    behaviour: 'before anything is told, the listener’s account is asked anew; one that may no longer is cut off',
    risk: 'safety',
  },
  {
    id: 'H3-199',
    behaviour:
      'every action on one workload since a day is one list, in the console and from the API, answered from an index',
    risk: 'trust',
  },
];
