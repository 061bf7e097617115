/** One message of the stream. A frame without a name is a comment: it says only that the line is alive. */
export interface Frame {
  readonly name: string;
  readonly data: string;
  /** The place to resume from; absent where the frame carries none. */
  readonly id?: string;
}

/**
 * Cuts a stream of server-sent events into frames, whatever the pieces it arrives in. Comments come out as frames named `''`, since a
 * heartbeat is the only proof that a silent line is not a dead one.
 */
export function createFrameReader(): (chunk: string) => readonly Frame[] {
  let rest = '';
  return (chunk) => {
    rest += chunk;
    const frames: Frame[] = [];
    for (let end = /\r?\n\r?\n/.exec(rest); end !== null; end = /\r?\n\r?\n/.exec(rest)) {
      const frame = frameOf(rest.slice(0, end.index));
      rest = rest.slice(end.index + end[0].length);
      if (frame !== undefined) frames.push(frame);
    }
    return frames;
  };
}

function frameOf(block: string): Frame | undefined {
  let name = 'message';
  let id: string | undefined;
  const data: string[] = [];
  let comment = false;
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon === 0) comment = true;
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, '');
    const field = line.slice(0, colon);
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
  }
  if (data.length > 0) return { name, data: data.join('\n'), ...(id === undefined ? {} : { id }) };
  return comment ? { name: '', data: '' } : undefined;
}
