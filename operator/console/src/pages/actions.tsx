import { ACTION_TYPES } from '@hephaisto/core/action/types';
import type { Action } from '@hephaisto/core/report/action';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type Search, toggleWord, wordsOf } from '../api/filters.ts';
import { actionsQuery } from '../api/reads.ts';
import { ActionCard } from '../incident/action-card.tsx';
import { decidedText, newestOf } from '../incident/decisions.ts';
import { questionWord } from '../incident/progress.ts';
import { sentence } from '../parts/incident-words.ts';
import { inertText, plainName } from '../parts/inert-text.ts';
import { OldData, Waiting } from '../parts/query-state.tsx';
import { ShowOlder } from '../parts/show-older.tsx';
import { Tag } from '../parts/tags.tsx';
import { Ago } from '../parts/time.tsx';
import { useRowKeys } from '../parts/use-settled.ts';
import { ACTION_LOOKS, lookOf } from '../parts/words.ts';
import { usePageTitle } from '../shell/use-page-title.ts';
import { durationText } from '../time/duration.ts';

/** What was done to the cluster, by whom, by which rule, and what came of it. */
export function Actions() {
  usePageTitle('Actions');
  useRowKeys();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate({ from: '/actions' });
  const query = useInfiniteQuery(actionsQuery(search));
  const pages = query.data?.pages ?? [];
  const rows = pages.flatMap((page) => page.value.items.map((action) => ({ action, at: page.at })));
  const types = wordsOf(search.type);
  return (
    <>
      <div className="page-title">
        <h1>Actions</h1>
        <span className="soft numbers">{pages[0] === undefined ? '' : countText(pages[0].value.total)}</span>
      </div>
      <div className="filters">
        <fieldset>
          <legend>Kind</legend>
          {ACTION_TYPES.map((type) => (
            <button
              key={type}
              type="button"
              className="chip"
              aria-pressed={types.includes(type)}
              onClick={() => {
                const next = toggleWord(search.type, type);
                void navigate({ search: { ...search, type: next === '' ? undefined : next }, replace: true });
              }}
            >
              {sentence(plainName(type).toLowerCase())}
            </button>
          ))}
        </fieldset>
        {(['workload', 'namespace', 'since'] as const).map((key) =>
          (search[key] ?? '') === '' ? null : (
            <button
              key={key}
              type="button"
              className="chip"
              aria-pressed="true"
              title="Take the filter off"
              onClick={() => void navigate({ search: { ...search, [key]: undefined }, replace: true })}
            >
              {key}: {inertText(key === 'since' ? (search.since ?? '').slice(0, 10) : (search[key] ?? ''))} ×
            </button>
          ),
        )}
      </div>
      <OldData query={query} />
      <section className="panel" aria-label="Actions, newest first">
        {query.data === undefined ? (
          <Waiting query={query} what="actions" lines={8} />
        ) : rows.length === 0 ? (
          <div className="empty" data-field="empty">
            <h2>{Object.keys(search).length === 0 ? 'Nothing was done yet' : 'Nothing of that kind was done'}</h2>
            <p>Every act and every refusal is listed here, with what was measured before and after.</p>
          </div>
        ) : (
          <ul className="cards">
            {rows.map(({ action, at }) => (
              <ActionRow key={action.id} action={action} at={at} />
            ))}
          </ul>
        )}
        {query.hasNextPage ? (
          <div className="list-foot">
            <ShowOlder query={query} />
          </div>
        ) : null}
      </section>
    </>
  );
}

function countText(total: number): string {
  return total === 1 ? '1 action' : `${total} actions`;
}

function ActionRow({ action, at }: { readonly action: Action; readonly at: number }) {
  const proposal = newestOf(action.proposals);
  const check = action.verifications.filter((each) => each.result !== null).at(-1);
  return (
    <li className="card-row" data-state={action.state} data-action={action.id}>
      <div className="line">
        <Tag look={lookOf(ACTION_LOOKS, action.state)} raw={action.state} field="action-state" />
        <Link
          className="main"
          to="/incidents/$id"
          params={{ id: String(action.incident.number) }}
          search={{ tab: 'actions' }}
          data-row
        >
          {inertText(
            sentence(proposal?.title ?? `${plainName(action.type)} ${action.target.kind} ${action.target.name}`),
          )}
        </Link>
        <span className="faint">
          <Ago instant={action.createdAt} />
        </span>
      </div>
      <div className="line soft">
        <span>
          #{action.incident.number} {inertText(action.incident.title)}
        </span>
        <span>{decidedText(action)}</span>
        {check === undefined ? null : (
          <span>
            {questionWord(check.question)}: <b>{(check.result ?? '').toLowerCase()}</b>
          </span>
        )}
        {action.executedAt === null ? null : (
          <span className="numbers">
            carried out {durationText((Date.parse(action.executedAt) - Date.parse(action.createdAt)) / 1000)} after it
            was planned
          </span>
        )}
      </div>
      <details className="more">
        <summary>Everything recorded of it</summary>
        <ActionCard action={action} at={at} />
      </details>
    </li>
  );
}
