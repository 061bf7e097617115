import type { Proposal } from '@hephaisto/core/report/action';
import { plainName, valueText } from '../parts/inert-text.ts';

type Facts = Readonly<Record<string, unknown>>;

/** What it touches, in one line: numbers first. */
export function blastLine(proposal: Pick<Proposal, 'blastRadius'>): string {
  const radius = proposal.blastRadius;
  if (radius === null) return 'what it touches was not recorded';
  const { pods, of, ...more } = radius as Facts;
  const first = typeof pods === 'number' ? [podsText(pods, of)] : [];
  return [...first, ...Object.entries(more).map(([name, value]) => `${plainName(name)} ${valueText(value)}`)].join(
    ', ',
  );
}

function podsText(pods: number, of: unknown): string {
  if (typeof of === 'number' && of > 0)
    return pods === 0 ? `no pod of ${of} disturbed` : `${pods} of ${of} pods at once`;
  return `${pods} ${pods === 1 ? 'pod' : 'pods'} at once`;
}

/** Whether and how it can be taken back, in one line. */
export function undoLine(proposal: Pick<Proposal, 'undo'>): string {
  const undo = proposal.undo as Facts | null;
  if (undo === null) return 'undo: not recorded';
  if (undo.kind === 'none') return `no undo needed: ${valueText(undo.why)}`;
  const values = Array.isArray(undo.values) ? undo.values.length : 0;
  return values === 0 ? 'undo: kept' : `undo: puts back ${values === 1 ? 'the value' : `${values} values`} from before`;
}

/** Values that the undo would put back. */
export function undoValues(undo: Proposal['undo']): readonly { readonly path: string; readonly prior: string }[] {
  const values: unknown = undo?.values;
  if (!Array.isArray(values)) return [];
  return values.flatMap((value: unknown) => {
    if (typeof value !== 'object' || value === null || !('path' in value)) return [];
    const prior = 'prior' in value ? value.prior : undefined;
    return [{ path: String(value.path), prior: typeof prior === 'string' ? prior : JSON.stringify(prior, null, 2) }];
  });
}

/** The call in one line: verb, resource, place. */
export function callLine(request: Proposal['request']): string {
  if (request === null) return 'the call was not recorded';
  const { verb, resource, subresource, namespace, name } = request as Facts;
  const what = subresource === undefined ? valueText(resource) : `${valueText(resource)}/${valueText(subresource)}`;
  return `${valueText(verb)} ${what} ${valueText(namespace)}/${valueText(name)}`;
}

/** The beginning of a digest in groups, as two people can compare it aloud. */
export function digestWords(digest: string): string {
  return `${digest.slice(0, 4)}-${digest.slice(4, 8)}-${digest.slice(8, 12)}`;
}
