import { CONTRAST_CHECKS } from './checks/contrast.ts';
import { DECISION_CHECKS } from './checks/decisions.ts';
import { EVIDENCE_CHECKS } from './checks/evidence.ts';
import { FOLD_CHECKS } from './checks/fold.ts';
import { HOSTILE_CHECKS } from './checks/hostile.ts';
import { KEYBOARD_CHECKS } from './checks/keyboard.ts';
import { LIST_CHECKS } from './checks/lists.ts';
import { LIVE_CHECKS } from './checks/live.ts';
import { LOOK_CHECKS } from './checks/look.ts';
import { MODEL_CHECKS } from './checks/model.ts';
import { NEWCOMER_CHECKS } from './checks/newcomer.ts';
import { RESTART_CHECKS } from './checks/restart.ts';
import { REVIEW_CHECKS } from './checks/review.ts';
import { ROLE_CHECKS } from './checks/roles.ts';
import { SIGN_IN_CHECKS } from './checks/sign-in.ts';
import { SPEED_CHECKS } from './checks/speed.ts';
import { STOP_CHECKS } from './checks/stop.ts';
import { STORY_CHECKS } from './checks/stories.ts';
import type { Check } from './harness/check.ts';

/**
 * All checks, in the order in which one demo can play them: first everything that only looks at a proposal that waits, then the decisions,
 * each of which spends one, then what takes the server away.
 */
export const CHECKS: readonly Check[] = [
  ...SIGN_IN_CHECKS,
  ...FOLD_CHECKS,
  ...EVIDENCE_CHECKS,
  ...MODEL_CHECKS,
  ...REVIEW_CHECKS,
  ...ROLE_CHECKS,
  ...STOP_CHECKS,
  ...KEYBOARD_CHECKS,
  ...LIVE_CHECKS,
  ...SPEED_CHECKS,
  ...LIST_CHECKS,
  ...HOSTILE_CHECKS,
  ...LOOK_CHECKS,
  ...CONTRAST_CHECKS,
  ...NEWCOMER_CHECKS,
  ...STORY_CHECKS,
  ...DECISION_CHECKS,
  ...RESTART_CHECKS,
];
