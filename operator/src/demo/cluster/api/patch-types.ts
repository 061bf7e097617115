import { JSON_PATCH, MERGE_PATCH } from './json-patch.ts';
import { STRATEGIC_MERGE_PATCH } from './strategic-merge.ts';

/** The ways in which an object may be patched. */
export const PATCH_TYPES = [JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH] as const;
