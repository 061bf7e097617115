/**
 * Ctrl-C or SIGTERM asks to stop; a second one ends the process at once, whatever it waits for. Ending with `process.exit` ends the
 * threads too, a statement of the embedded database that never returns among them.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
    });
  }
  return stop.signal;
}
