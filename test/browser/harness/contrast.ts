import { readFileSync } from 'node:fs';
import type { CDPSession, Page } from 'playwright-core';

const SOURCE = readFileSync(new URL('./contrast-in-page.js', import.meta.url), 'utf8');

/** Each state of a control, and the pseudo-classes that make it. */
const STATES: Readonly<Record<string, readonly string[]>> = {
  rest: [],
  hover: ['hover'],
  focus: ['focus', 'focus-visible'],
  active: ['hover', 'active', 'focus'],
  disabled: [],
  'disabled under the pointer': ['hover'],
};

interface Measurement {
  readonly name: string;
  /** Whether the page took the control away meanwhile. */
  readonly gone: boolean;
  readonly faults: readonly string[];
}

export interface ContrastReport {
  readonly faults: readonly string[];
  /** How many states of controls were measured. */
  readonly measured: number;
}

/**
 * Measures text, icons and focus ring of each control of the page (of its topmost sheet, where one is open) in each state. A kind of control
 * whose signature is in `known` is left out; new ones are added to it.
 */
export async function measureControls(page: Page, known: Set<string>): Promise<ContrastReport> {
  await page.evaluate(SOURCE);
  const fresh = await page.evaluate<readonly string[]>(`contrast.mark(${JSON.stringify([...known])})`);
  const session = await page.context().newCDPSession(page);
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  const faults: string[] = [];
  let measured = 0;
  for (const [index, kind] of fresh.entries()) {
    known.add(kind);
    for (const state of Object.keys(STATES)) {
      const { name, gone, faults: found } = await measureState(page, session, index, state);
      if (gone) continue;
      measured += 1;
      faults.push(...found.map((fault) => `${name}, ${state}: ${fault}`));
    }
  }
  await session.detach();
  return { faults, measured };
}

async function measureState(page: Page, session: CDPSession, index: number, state: string): Promise<Measurement> {
  const disabling = state.startsWith('disabled');
  if (disabling && !(await page.evaluate<boolean>(`contrast.disable(${index}, true)`)))
    return { name: '', gone: true, faults: [] };
  await force(session, index, STATES[state] ?? []);
  const result = await page.evaluate<Measurement>(`contrast.measure(${index}, ${JSON.stringify(state)})`);
  await force(session, index, []);
  if (disabling) await page.evaluate(`contrast.disable(${index}, false)`);
  return result;
}

async function force(session: CDPSession, index: number, forcedPseudoClasses: readonly string[]): Promise<void> {
  const { root } = await session.send('DOM.getDocument', { depth: 0 });
  const { nodeId } = await session.send('DOM.querySelector', {
    nodeId: root.nodeId,
    selector: `[data-contrast="${index}"]`,
  });
  if (nodeId !== 0)
    await session.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses: [...forcedPseudoClasses] });
}
