/** Whether a process of this host still runs. One that may not be asked about runs: only a missing process is certainly gone. */
export function isProcessAlive(pid: string): boolean {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error: unknown) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
