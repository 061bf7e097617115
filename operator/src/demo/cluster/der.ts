/** The few forms of DER that a certificate is made of. */

export function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

export function set(...parts: readonly Buffer[]): Buffer {
  return tagged(0x31, ...parts);
}

export function integer(value: number): Buffer {
  return tagged(0x02, Buffer.from([value]));
}

export function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]));
}

export function octets(bytes: Buffer): Buffer {
  return tagged(0x04, bytes);
}

export function bits(bytes: Buffer, unused = 0): Buffer {
  return tagged(0x03, Buffer.from([unused]), bytes);
}

export function utf8(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text, 'utf8'));
}

/** With a year of four digits, which holds for any date. */
export function time(date: Date): Buffer {
  return tagged(0x18, Buffer.from(`${date.toISOString().slice(0, 19).replaceAll(/[-T:]/g, '')}Z`, 'ascii'));
}

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** A context-specific tag: `constructed` around other values, else around plain bytes. */
export function context(number: number, content: Buffer, constructed: boolean): Buffer {
  return tagged((constructed ? 0xa0 : 0x80) + number, content);
}

function base128(value: number): readonly number[] {
  const groups = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content)]), content]);
}

function lengthOf({ length }: Buffer): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
