import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { inboxQuery, recentQuery } from '../api/reads.ts';
import { inertText } from '../parts/inert-text.ts';
import { Sheet } from '../parts/sheet.tsx';

interface Place {
  readonly name: string;
  readonly to: string;
}

const PAGES: readonly Place[] = [
  { name: 'Inbox', to: '/' },
  { name: 'All incidents', to: '/incidents' },
  { name: 'Approvals', to: '/approvals' },
  { name: 'Actions', to: '/actions' },
  { name: 'Health', to: '/health' },
  { name: 'Rights', to: '/rights' },
];
const MOST = 12;

/** Jump to a page or an incident by typing part of its name. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const open = useQuery(inboxQuery).data?.value.items ?? [];
  const recent = useQuery(recentQuery).data?.value.items ?? [];
  const incidents = [...open, ...recent].map((row) => ({
    name: `#${row.number} ${inertText(row.title)}`,
    to: `/incidents/${row.number}`,
  }));
  const wanted = text.trim().toLowerCase();
  const found = [...PAGES, ...incidents].filter((place) => place.name.toLowerCase().includes(wanted)).slice(0, MOST);
  const chosen = Math.min(at, found.length - 1);
  const go = (place: Place | undefined): void => {
    if (place === undefined) return;
    onClose();
    void navigate({ to: place.to });
  };
  return (
    <Sheet
      title="Jump to"
      narrow
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, found.length - 1));
        else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
        else if (event.key === 'Enter') go(found[chosen]);
        else return;
        event.preventDefault();
      }}
    >
      <input
        className="input"
        aria-label="Page or incident"
        placeholder="page or incident"
        value={text}
        data-first
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
      />
      <ul className="places">
        {found.map((place, index) => (
          <li key={place.to}>
            <button type="button" className="cut" aria-current={index === chosen} onClick={() => go(place)}>
              {place.name}
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 ? <p className="faint">nothing of that name is open or recent</p> : null}
    </Sheet>
  );
}
