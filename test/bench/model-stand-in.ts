import { startGeminiStandIn } from '../support/gemini-stand-in.ts';
import { inOrder, says } from '../support/model-script.ts';

// A server of its own process, so that what it takes to read a prompt and count it is not taken for ours. Ends with whoever started it.
const standIn = await startGeminiStandIn(inOrder(says({ text: 'ok' })));
process.send?.(standIn.url);
process.on('disconnect', () => process.exit());
