import { ordersIn } from '../evidence/taint.ts';
import type { ServiceFact } from '../facts/facts.ts';
import type { Reading } from './known.ts';
import type { LogReading } from './tools.ts';
import { type CaseView, logsOf } from './view.ts';

/** A Service without a ready endpoint, and the line of a sick pod's log that names it. */
export interface NamedService {
  readonly service: ServiceFact;
  readonly log: Reading<LogReading>;
  readonly line: string;
}

/** Words of a failed call. A line that only mentions a Service is no complaint about it. */
const COMPLAINT =
  /refused|timed? ?out|unreachable|no route|cannot (?:connect|reach|resolve)|can't (?:connect|reach)|unable to|could ?n[o']t|fail|error|no such host|not resolve|lookup|reset|unavailable|down|dial|econn|enotfound|eai_again|503|gave up|giving up|no (?:ready )?endpoints?|waiting for/i;

/** Services of the namespace that cannot answer anybody and that the failing containers' own logs complain of by name. */
export function namedDeadServices(view: CaseView): readonly NamedService[] {
  const dead = (view.services?.value ?? []).filter(
    (service) =>
      Object.keys(service.selector).length > 0 && service.endpoints.ready === 0 && !selectsOwn(service, view),
  );
  return dead.flatMap((service) => {
    const named = logsOf(view, view.troubles)
      .flatMap((log) => log.value.lines.map((line) => ({ service, log, line })))
      .find(({ line }) => namesHost(line, service) && COMPLAINT.test(line) && ordersIn(line).length === 0);
    return named === undefined ? [] : [named];
  });
}

/** The Service's name as a word of its own: `db`, `db:5432`, `db.shop.svc`, not the `db` in `db-migrate`. */
export function namesHost(line: string, service: { readonly name: string }): boolean {
  const name = service.name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // linear: an escaped name and one character on each side
  return new RegExp(`(?<![A-Za-z0-9_.-])${name}(?![A-Za-z0-9_-])`).test(line);
}

function selectsOwn(service: ServiceFact, view: CaseView): boolean {
  return (view.pods?.value ?? []).some((pod) =>
    Object.entries(service.selector).every(([key, value]) => pod.labels[key] === value),
  );
}
