import { afterEach, beforeEach } from 'node:test';

/** Between two tests, hooks included. The slowest hook plays stories and takes a minute on a busy machine. */
const LONGEST_PAUSE_MS = 180_000;

let running = 0;
let since = performance.now();

beforeEach(() => {
  running += 1;
});
afterEach(() => {
  running -= 1;
  since = performance.now();
});

// A test that failed may leave a server open, and the process would then never end, nor the suite. `--test-force-exit` is no way out: it
// was seen to lose results that were not written yet. An end with an error is counted as one more failure of that file.
setInterval(() => {
  if (running > 0 || performance.now() - since < LONGEST_PAUSE_MS) return;
  process.stderr.write(
    `expected the process to end after its last test, found it alive ${LONGEST_PAUSE_MS / 1000} s later\n`,
  );
  process.exit(1);
}, 5_000).unref();
