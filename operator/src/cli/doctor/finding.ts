/** One thing that was looked at. `missing` is what a configuration asks for and does not get; `off` is a choice and no fault. */
export interface DoctorFinding {
  readonly name: string;
  readonly status: 'ok' | 'missing' | 'off';
  readonly message: string;
  /** What the product cannot do meanwhile. */
  readonly lost: string | null;
  /** What to add, exactly: a rule of a Role, an option, a command. */
  readonly remedy: string | null;
}

export function found(name: string, message: string): DoctorFinding {
  return { name, status: 'ok', message, lost: null, remedy: null };
}

export function missing(name: string, message: string, lost: string, remedy: string): DoctorFinding {
  return { name, status: 'missing', message, lost, remedy };
}

export function off(name: string, message: string, lost: string, remedy: string): DoctorFinding {
  return { name, status: 'off', message, lost, remedy };
}
