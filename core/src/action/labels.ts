import { LABEL_DOMAIN } from '../names.ts';

/** Label that a namespace must carry, with the value `allowed`, before anything is done in it: one of the four deliberate acts. */
export const ACTIONS_LABEL = `${LABEL_DOMAIN}/actions`;
export const ACTIONS_ALLOWED = 'allowed';

/** On any object: never touched, whatever policy says. Annotations and labels of ours can only restrict, since whoever edits an object may set them. */
export const PROTECTED_LABEL = `${LABEL_DOMAIN}/protected`;
export const IGNORE_ANNOTATION = `${LABEL_DOMAIN}/ignore`;
/** `none`, `restart`, `scale` or `rollback`: the strongest act allowed on the object. */
export const MAX_ACTION_ANNOTATION = `${LABEL_DOMAIN}/max-action`;
/** RFC 3339 instant until which the object is left alone. */
export const FREEZE_UNTIL_ANNOTATION = `${LABEL_DOMAIN}/freeze-until`;
