import type { Certainty } from '@hephaisto/core/finding/finding';
import { CERTAINTY_WORDS } from './words.ts';

/** How sure, in a word from code; never a percentage. */
export function CertaintyWord({ certainty, long = false }: { readonly certainty: Certainty; readonly long?: boolean }) {
  const { word, means, tone } = CERTAINTY_WORDS[certainty];
  return (
    <span className="tag certainty" data-field="certainty" data-state={certainty} data-tone={tone} title={means}>
      {word}
      {long ? <span className="means">{means}</span> : null}
    </span>
  );
}
