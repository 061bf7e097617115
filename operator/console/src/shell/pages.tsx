import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { healthQuery } from '../api/reads.ts';
import { isDemo } from '../api/stories.ts';

/** Links to every page; the story picker only where there are stories. */
export function Pages({ waiting }: { readonly waiting: number }) {
  const health = useQuery(healthQuery);
  const status = health.data?.value.status;
  return (
    <>
      <Link to="/" activeOptions={{ exact: true, includeSearch: false }}>
        Inbox
      </Link>
      <Link to="/incidents" activeOptions={{ exact: true, includeSearch: false }}>
        Incidents
      </Link>
      <Link to="/approvals" activeOptions={{ includeSearch: false }}>
        Approvals
        <span className="count" {...(waiting === 0 ? { 'data-empty': true } : {})}>
          {waiting}
          <span className="only-read"> waiting</span>
        </span>
      </Link>
      <Link to="/actions" activeOptions={{ includeSearch: false }}>
        Actions
      </Link>
      <Link to="/health">
        Health
        {status === undefined || status === 'ok' ? null : (
          <span className="count">
            !<span className="only-read"> {status}</span>
          </span>
        )}
      </Link>
      {isDemo() ? <Link to="/stories">Stories</Link> : null}
    </>
  );
}
