import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { healthQuery } from '../api/reads.ts';
import { Ago } from '../parts/time.tsx';

/** One line of what this picture rests on, and what it lacks. */
export function Coverage() {
  const health = useQuery(healthQuery).data?.value;
  if (health === undefined) return null;
  const lacking = health.components.filter((part) => part.status === 'failed' || part.status === 'degraded');
  return (
    <p className="coverage" data-field="coverage" data-state={health.status}>
      {lacking.length === 0 ? (
        <span>All {health.components.filter((part) => part.status === 'ok').length} parts answer.</span>
      ) : (
        lacking.map((part) => (
          <span key={part.name} className="wrap-any">
            <b>{part.name}</b> {part.status}: {part.lost ?? part.message}
          </span>
        ))
      )}
      {health.intake.lastReceivedAt === null ? null : (
        <span>
          Last alert received <Ago instant={health.intake.lastReceivedAt} />
        </span>
      )}
      <Link to="/health">Health</Link>
    </p>
  );
}
