import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { healthQuery } from '../api/reads.ts';
import { storiesQuery } from '../api/stories.ts';
import { Icon } from '../parts/icons.tsx';
import { Ago } from '../parts/time.tsx';

/** Nothing is open: what that rests on, since a blind watcher sees nothing either. */
export function NothingFiring() {
  const health = useQuery(healthQuery).data?.value;
  const stories = useQuery(storiesQuery).data;
  const bad = health?.components.filter((part) => part.status === 'failed' || part.status === 'degraded') ?? [];
  const heard = health?.intake.lastReceivedAt;
  return (
    <section className="panel" data-field="empty">
      <div className="empty">
        <h2>
          <span className="tag" data-tone={bad.length === 0 ? 'good' : 'warn'}>
            <Icon name={bad.length === 0 ? 'check' : 'triangle'} size={16} />
          </span>{' '}
          {bad.length === 0 ? 'Nothing is firing' : 'Nothing is firing, as far as can be seen'}
        </h2>
        {health === undefined ? null : (
          <p>
            {heard === null || heard === undefined ? (
              'No alert has been received yet.'
            ) : (
              <>
                Last alert received <Ago instant={heard} />.
              </>
            )}{' '}
            {bad.length === 0 ? 'Every source answers.' : `Not well: ${bad.map((part) => part.name).join(', ')}.`}{' '}
            <Link to="/health">What is watched</Link>
          </p>
        )}
        {stories === null || stories === undefined ? null : (
          <p>
            This is the demo: <Link to="/stories">play a story</Link> and watch it here.
          </p>
        )}
      </div>
    </section>
  );
}
