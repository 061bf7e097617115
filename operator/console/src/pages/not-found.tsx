import { Link } from '@tanstack/react-router';
import { inertText } from '../parts/inert-text.ts';
import { usePageTitle } from '../shell/use-page-title.ts';

export function NotFound() {
  usePageTitle('Nothing here');
  return (
    <section className="panel">
      <div className="empty" data-field="not-found">
        <h1>There is no such page</h1>
        <p className="wrap-any">
          Nothing stands at <code>{inertText(location.pathname.slice(0, 200))}</code>.
        </p>
        <div className="buttons">
          <Link className="button" data-kind="main" to="/">
            Go to the inbox
          </Link>
          <Link className="button" to="/incidents">
            All incidents
          </Link>
        </div>
      </div>
    </section>
  );
}
