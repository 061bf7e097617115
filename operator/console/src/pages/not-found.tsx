import { Link } from '@tanstack/react-router';
import { usePageTitle } from '../shell/use-page-title.ts';

export function NotFound() {
  usePageTitle('Nothing here');
  return (
    <section className="panel">
      <div className="empty">
        <h1>There is no such page</h1>
        <p>
          <Link to="/">Inbox</Link> or <Link to="/incidents">all incidents</Link>
        </p>
      </div>
    </section>
  );
}
