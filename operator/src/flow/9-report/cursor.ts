/** Opaque to clients: what the last row of a page was sorted by. */
export function encodeCursor(position: string): string {
  return Buffer.from(`1:${position}`, 'utf8').toString('base64url');
}

/** The position, or `undefined` when the text was not made by `encodeCursor` for rows of that shape. */
export function decodeCursor(text: string, shape: RegExp): string | undefined {
  const decoded = Buffer.from(text, 'base64url').toString('utf8');
  const position = decoded.startsWith('1:') ? decoded.slice(2) : '';
  return shape.test(position) ? position : undefined;
}

export const UUID_SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const NUMBER_SHAPE = /^\d{1,18}$/;
