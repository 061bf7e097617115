import { readFileSync, readlinkSync } from 'node:fs';

/** Who a process is beyond its number, which the system gives out again. Parts that the system cannot tell are ''. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Changes with every start of the machine. */
  readonly boot: string;
  /** Two containers may both be process 1: only within one namespace do numbers mean the same. */
  readonly pidNamespace: string;
  /** The kernel's start time of the process, in ticks since boot. */
  readonly startTime: string;
}

export function identityOf(pid: number): ProcessIdentity {
  return {
    pid,
    boot: quietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: quietly(() => readlinkSync('/proc/self/ns/pid')),
    startTime: startTimeOf(pid),
  };
}

/** `unknown` when the other one runs on another machine or in another namespace, where its number tells nothing. */
export function isAlive(other: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  const self = identityOf(process.pid);
  if (other.boot !== self.boot || other.pidNamespace !== self.pidNamespace) return 'unknown';
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to somebody else.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return 'dead';
  }
  const startTime = startTimeOf(other.pid);
  return startTime === '' || startTime === other.startTime ? 'alive' : 'dead';
}

function startTimeOf(pid: number): string {
  // The command in parentheses may hold spaces, so fields are counted after its end: the start time is the 20th there.
  return quietly(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  });
}

function quietly(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
