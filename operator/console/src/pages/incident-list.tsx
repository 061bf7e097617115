import type { IncidentSummary } from '@hephaisto/core/report/incident';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { CertaintyWord } from '../parts/certainty.tsx';
import { nextWords, objectName } from '../parts/incident-words.ts';
import { inertText } from '../parts/inert-text.ts';
import { shortTitle } from '../parts/short-statement.ts';
import { SeverityTag, StateTag } from '../parts/tags.tsx';
import { Ago, Growing } from '../parts/time.tsx';

interface Row {
  readonly row: IncidentSummary;
  readonly at: number;
}

interface ListProps {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly more: (() => void) | undefined;
}

const NARROW = '(max-width: 720px)';
/** Rows from the end at which the next page is asked for, so that a steady scroll never waits. */
const AHEAD = 60;

/** Only the rows in sight are drawn, however many there are. */
export function IncidentList({ rows, total, more }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const narrow = useSyncExternalStore(onNarrow, () => matchMedia(NARROW).matches);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => (narrow ? 84 : 44),
    overscan: 12,
    getItemKey: (index) => rows[index]?.row.id ?? index,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the size of a row depends on the width alone
  useEffect(() => virtual.measure(), [narrow]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more !== undefined && last >= rows.length - AHEAD) more();
  }, [last, more, rows.length]);
  return (
    <>
      <div className="list-head" aria-hidden="true">
        <span>Severity</span>
        <span>Title</span>
        <span>Where</span>
        <span>State</span>
        <span>Verdict and next step</span>
        <span>Seen</span>
        <span title="From the first signal to now, or to the end">Lasting</span>
        <span title="When its state changed or a signal came, whichever is later">Changed</span>
        <span>Owner</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div className="list-body" ref={box} tabIndex={0}>
        <ul aria-label="Incidents, newest first" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {items.map((item) => {
            const held = rows[item.index];
            return held === undefined ? null : <ListRow key={item.key} held={held} start={item.start} />;
          })}
        </ul>
      </div>
      <div className="list-foot">
        <span className="numbers">
          {rows.length.toLocaleString('en')} of {total.toLocaleString('en')} loaded
        </span>
        <span className="faint">newest first</span>
      </div>
    </>
  );
}

function onNarrow(listener: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

function lastChange(row: IncidentSummary): string {
  return Date.parse(row.stateSince) > Date.parse(row.lastSignalAt) ? row.stateSince : row.lastSignalAt;
}

function ListRow({ held: { row, at }, start }: { readonly held: Row; readonly start: number }) {
  const object = objectName(row);
  const whole = [row.namespace ?? '', object].filter((part) => part !== '').join(' / ');
  // The title beside it mostly names the object already.
  const where = row.namespace !== null && row.title.includes(object) ? row.namespace : whole;
  return (
    <li
      className="list-row"
      data-incident={row.number}
      data-state={row.state}
      style={{ transform: `translateY(${start}px)` }}
    >
      <SeverityTag severity={row.severity} />
      <Link
        className="title cut"
        to="/incidents/$id"
        params={{ id: String(row.number) }}
        title={inertText(row.title)}
        data-row
      >
        <span className="faint numbers">#{row.number}</span> {inertText(shortTitle(row))}
      </Link>
      <span className="cut soft" title={inertText(whole)}>
        {inertText(where)}
      </span>
      <StateTag state={row.state} />
      <span className="cut soft" title={inertText(row.verdict?.statement ?? nextWords(row))}>
        {row.verdict === null ? null : <CertaintyWord certainty={row.verdict.certainty} />} {inertText(nextWords(row))}
      </span>
      <span className="numbers faint" data-field="occurrences">
        ×{row.occurrences}
      </span>
      <Growing seconds={row.ageSeconds} since={at} running={row.open} field="age" short />
      <span className="faint" data-field="changed-at">
        <Ago instant={lastChange(row)} />
      </span>
      <span className="cut faint">{row.assignedTo?.name ?? row.acknowledgedBy?.name ?? '–'}</span>
    </li>
  );
}
