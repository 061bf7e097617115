export type Labels = Readonly<Record<string, string>>;

/** What a rule says to Alertmanager: this label set is active, or ended at `endsAt`. */
export interface AlertUpdate {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly startsAt: Date;
  /** Absent while it is active. */
  readonly endsAt?: Date;
  readonly generatorURL: string;
}

/** An alert as Alertmanager keeps it. */
export interface Alert extends AlertUpdate {
  readonly fingerprint: string;
  readonly updatedAt: Date;
}

/** `firing` until it has an end. */
export function alertStatus(alert: AlertUpdate): 'firing' | 'resolved' {
  return alert.endsAt === undefined ? 'firing' : 'resolved';
}
