import { INCIDENT_STATES } from '@hephaisto/core/incident/machine';
import { SEVERITIES } from '@hephaisto/core/signal/kind';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { type Search, toggleWord, wordsOf } from '../api/filters.ts';
import { INCIDENT_FILTERS, incidentsQuery } from '../api/reads.ts';
import { OldData, Waiting } from '../parts/query-state.tsx';
import { useRowKeys } from '../parts/use-settled.ts';
import { INCIDENT_LOOKS, SEVERITY_LOOKS } from '../parts/words.ts';
import { usePageTitle } from '../shell/use-page-title.ts';
import { IncidentList } from './incident-list.tsx';

/** Every incident there ever was, by filters that the address holds. */
export function Incidents() {
  usePageTitle('Incidents');
  useRowKeys();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate({ from: '/incidents' });
  const query = useInfiniteQuery(incidentsQuery(search));
  const set = (change: Record<string, string>): void => {
    void navigate({
      search: (held: Search) =>
        Object.fromEntries(Object.entries({ ...held, focus: '', ...change }).filter(([, value]) => value !== '')),
      replace: true,
    });
  };
  const pages = query.data?.pages ?? [];
  const rows = pages.flatMap((page) => page.value.items.map((row) => ({ row, at: page.at })));
  const total = pages[0]?.value.total;
  const filtered = INCIDENT_FILTERS.some((key) => (search[key] ?? '') !== '');
  return (
    <>
      <div className="page-title">
        <h1>Incidents</h1>
        <span className="soft numbers" data-field="total">
          {total === undefined ? '' : countText(total, filtered)}
        </span>
      </div>
      <Filters search={search} onSet={set} />
      <OldData query={query} />
      <section className="panel list" aria-label="Incidents">
        {query.data === undefined ? (
          <Waiting query={query} what="incidents" lines={10} />
        ) : rows.length === 0 ? (
          <Nothing filtered={filtered} onClear={() => void navigate({ search: {} })} />
        ) : (
          <IncidentList
            rows={rows}
            total={total ?? rows.length}
            more={query.hasNextPage && !query.isFetchingNextPage ? () => void query.fetchNextPage() : undefined}
          />
        )}
      </section>
    </>
  );
}

function countText(total: number, filtered: boolean): string {
  const count = total === 1 ? '1 incident' : `${total.toLocaleString('en')} incidents`;
  return filtered ? `${count} found` : count;
}

function Filters({
  search,
  onSet,
}: {
  readonly search: Search;
  readonly onSet: (change: Record<string, string>) => void;
}) {
  return (
    <search className="filters">
      <SearchField value={search.text ?? ''} focus={search.focus === 'search'} onChange={(text) => onSet({ text })} />
      <Chips
        name="Severity"
        words={SEVERITIES}
        say={(word) => SEVERITY_LOOKS[word].word}
        value={search.severity}
        onChange={(severity) => onSet({ severity })}
      />
      <Chips
        name="State"
        words={INCIDENT_STATES.filter((state) => state !== 'Detected' && state !== 'Triaging')}
        say={(word) => INCIDENT_LOOKS[word].word}
        value={search.state}
        onChange={(state) => onSet({ state })}
      />
      <fieldset>
        <legend>Status</legend>
        {(['true', 'false'] as const).map((value) => (
          <button
            key={value}
            type="button"
            className="chip"
            aria-pressed={search.open === value}
            onClick={() => onSet({ open: search.open === value ? '' : value })}
          >
            {value === 'true' ? 'Open' : 'Over'}
          </button>
        ))}
      </fieldset>
      {(['namespace', 'kind', 'owner', 'since'] as const).map((key) =>
        (search[key] ?? '') === '' ? null : (
          <button
            key={key}
            type="button"
            className="chip"
            aria-pressed="true"
            onClick={() => onSet({ [key]: '' })}
            title="Take the filter off"
          >
            {key}: {search[key]} ×
          </button>
        ),
      )}
    </search>
  );
}

interface ChipsProps<W extends string> {
  readonly name: string;
  readonly words: readonly W[];
  readonly say: (word: W) => string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

function Chips<W extends string>({ name, words, say, value, onChange }: ChipsProps<W>) {
  const on = wordsOf(value);
  return (
    <fieldset>
      <legend>{name}</legend>
      {words.map((word) => (
        <button
          key={word}
          type="button"
          className="chip"
          aria-pressed={on.includes(word)}
          onClick={() => onChange(toggleWord(value, word))}
        >
          {say(word)}
        </button>
      ))}
    </fieldset>
  );
}

const PAUSE_MS = 250;

/** Typed text reaches the address after a pause, so that each letter is not a question to the server. */
function SearchField({
  value,
  focus,
  onChange,
}: {
  readonly value: string;
  readonly focus: boolean;
  readonly onChange: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const send = useRef(onChange);
  send.current = onChange;
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (focus) field.current?.focus();
  }, [focus]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => send.current(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <input
      ref={field}
      type="search"
      className="input"
      aria-label="Search incidents"
      placeholder="Search title, object, namespace, kind"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}

function Nothing({ filtered, onClear }: { readonly filtered: boolean; readonly onClear: () => void }) {
  return (
    <div className="empty" data-field="empty">
      <h2>{filtered ? 'Nothing matches' : 'No incident yet'}</h2>
      <p>
        {filtered
          ? 'No incident that you may read fits these filters.'
          : 'The first signal that needs a look opens one.'}
      </p>
      {filtered ? (
        <button type="button" className="button" onClick={onClear}>
          Take all filters off
        </button>
      ) : null}
    </div>
  );
}
