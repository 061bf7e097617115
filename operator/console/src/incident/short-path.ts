/**
 * The part of a field's path that tells fields apart: what leads to every pod template is left out, and so is the `value` of a variable.
 * The whole path stands in the review and in the title.
 */
export function shortPath(path: string): string {
  return path.replace(/^spec\.template\.spec\./, '').replace(/^(containers\[[^\]]+\]\.env\[[^\]]+\])\.value$/, '$1');
}
