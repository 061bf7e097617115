/** The lists that are read in pages. */
const LISTS = ['incidents', 'signals', 'proposals', 'actions', 'grants'] as const;
export type ListName = (typeof LISTS)[number];

const VERSION = '2';
const FORM = /^2:([a-z]+):(.+)$/;

/** Opaque to clients: which list it goes on in, and what the last row of a page was sorted by. */
export function encodeCursor(list: ListName, position: string): string {
  return Buffer.from(`${VERSION}:${list}:${position}`, 'utf8').toString('base64url');
}

export type DecodedCursor =
  | { readonly kind: 'position'; readonly position: string }
  | { readonly kind: 'other-list'; readonly list: string }
  | { readonly kind: 'foreign' };

/** What `encodeCursor` made for rows of that shape; another list may sort by the same shape, and its place means nothing here. */
export function decodeCursor(text: string, list: ListName, shape: RegExp): DecodedCursor {
  const [, name, position = ''] = FORM.exec(Buffer.from(text, 'base64url').toString('utf8')) ?? [];
  const of = LISTS.find((each) => each === name);
  if (of === undefined) return { kind: 'foreign' };
  if (of !== list) return { kind: 'other-list', list: of };
  return shape.test(position) ? { kind: 'position', position } : { kind: 'foreign' };
}

export const UUID_SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const NUMBER_SHAPE = /^\d{1,18}$/;
