/** Identity of one alert: all its labels. */
export interface AlertIdentity {
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * What the alerting system says now. `not-configured` is a fact of the installation and drops the question; `unreachable` leaves it open.
 * `firing` names the alerts that still fire; one that is silenced still fires, since silence is no repair.
 */
export type AlertAnswer =
  | { readonly kind: 'not-configured' }
  | { readonly kind: 'unreachable'; readonly message: string }
  | { readonly kind: 'answered'; readonly firing: readonly string[] };

/** The alerts' own state, read where they are evaluated and not where they were delivered. Never throws; bounded in time and size. */
export interface AlertStates {
  stillFiring(alerts: readonly AlertIdentity[]): Promise<AlertAnswer>;
}
