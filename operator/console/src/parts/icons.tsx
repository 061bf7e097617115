/** Glyphs drawn on 16 by 16. Each is told from the others by shape alone, since colour is no state. */
const PATHS = {
  octagon: 'M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3zM8 4.6v4.2M8 11.2v.3',
  triangle: 'M8 2 14.8 13.8H1.2zM8 6.3v3.6M8 11.9v.2',
  circle: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M8 7.2v4M8 4.7v.2',
  dot: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.4 10.4l3.6 3.6',
  hand: 'M5 8.5V4.2a1 1 0 0 1 2 0V7m0-3.9V2.7a1 1 0 0 1 2 0V7m0-3.3a1 1 0 0 1 2 0v4m0-2a1 1 0 0 1 2 0v3.8c0 2.8-1.7 4.8-4.5 4.8-2.3 0-3.3-1-4.3-2.7L2.7 8.7c-.6-1 .8-1.8 1.5-.9L5 8.9',
  bolt: 'M9.2 1.5 3.5 9.2h3.8l-.6 5.3 5.8-7.9H8.6z',
  pulse: 'M1.5 8h3l2-4.5 3 9 2-4.5h3',
  check: 'M2.8 8.6 6.3 12l7-8',
  person: 'M8 2.3a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4M2.8 13.8c.4-2.8 2.5-4.3 5.2-4.3s4.8 1.5 5.2 4.3',
  slash: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M3.8 3.8l8.4 8.4',
  hourglass: 'M4 2h8M4 14h8M5 2c0 3 2 4 3 6-1 2-3 3-3 6M11 2c0 3-2 4-3 6 1 2 3 3 3 6',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 4.8V8l2.2 1.7',
  cross: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  undo: 'M3 6.5h6.5a3.7 3.7 0 0 1 0 7.4H6M5.8 3.5 2.8 6.5l3 3',
  stop: 'M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3zM5.5 8h5',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  menu: 'M2 4h12M2 8h12M2 12h12',
  left: 'M9.8 3 4.8 8l5 5',
  right: 'M6.2 3l5 5-5 5',
  play: 'M4.5 2.5v11l8.5-5.5z',
  question: 'M5.7 5.8a2.3 2.3 0 1 1 3.3 2.1c-.7.4-1 .8-1 1.6M8 12v.3',
  quote: 'M3 9.5h3v3H3zM3 9.5c0-3 .8-4.7 2.7-6M10 9.5h3v3h-3zM10 9.5c0-3 .8-4.7 2.7-6',
  gap: 'M2 8h3M11 8h3M6.5 6l3 4M9.5 6l-3 4',
  shield: 'M8 1.8 13.2 3.6v4c0 3.2-2.2 5.5-5.2 6.6-3-1.1-5.2-3.4-5.2-6.6v-4z',
  change: 'M8 2.5v3M8 10.5v3M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5',
} as const;
export type IconName = keyof typeof PATHS;

const FILLED: ReadonlySet<IconName> = new Set(['dot', 'bolt', 'play']);

export function Icon({ name, size = 14 }: { readonly name: IconName; readonly size?: number }) {
  const filled = FILLED.has(name);
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill={filled ? 'currentColor' : 'none'}
        stroke={filled ? 'none' : 'currentColor'}
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

export function Mark() {
  return (
    <svg width="20" height="20" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        d="M12 2c.6 3.1 4.3 4.4 4.3 8.4a4.3 4.3 0 0 1-8.6 0c0-1.8.9-2.9 1.6-3.8.2 1.2.8 1.8 1.4 1.9-.2-2.4.2-4.7 1.3-6.5Z"
        fill="var(--ember)"
      />
      <path d="M3.5 16.3h17v1.5c-2.4.2-4 1-4.7 2.5l.8 1.7H7.4l.8-1.7c-.8-1.5-2.4-2.3-4.7-2.5Z" fill="currentColor" />
    </svg>
  );
}
