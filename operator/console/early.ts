/** What a page needs at once, so that the document can ask for it before any script has run. */
export interface Early {
  /** Scripts of the page beside those that the document names itself. */
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  /** Readings of the API; `:name` stands for the part of the address of that name. */
  readonly reads: readonly string[];
}

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

/** What the bundler tells of its files, by the source of each. */
export type Manifest = Readonly<Record<string, Chunk>>;

const SESSION = '/api/v1/session';

/**
 * Each page's own module and what it reads first, by the server's route. The readings must be the very addresses that the page asks for:
 * another address would be asked for twice.
 */
const PAGES: Readonly<Record<string, { readonly source?: string; readonly reads: readonly string[] }>> = {
  '/': { reads: ['/api/v1/incidents?open=true&limit=200'] },
  '/incidents': { source: 'src/pages/incidents.tsx', reads: [] },
  '/incidents/:id': { source: 'src/pages/incident.tsx', reads: ['/api/v1/incidents/:id'] },
  '/incidents/:id/evidence/:step': { source: 'src/pages/evidence.tsx', reads: ['/api/v1/incidents/:id'] },
  '/incidents/:id/transcript': { source: 'src/model/transcript-page.tsx', reads: [] },
  '/approvals': { source: 'src/pages/approvals.tsx', reads: [] },
  '/actions': { source: 'src/pages/actions.tsx', reads: [] },
  '/health': { source: 'src/pages/health.tsx', reads: ['/api/v1/health'] },
  '/stories': { source: 'src/pages/stories.tsx', reads: [] },
};

/** What each page needs, by the server's route. Throws when a page's module is not among the bundler's files. */
export function earlyOf(manifest: Manifest): Readonly<Record<string, Early>> {
  return Object.fromEntries(
    Object.entries(PAGES).map(([route, { source, reads }]) => {
      const chunks = source === undefined ? [] : neededBy(manifest, source);
      return [
        route,
        {
          scripts: chunks.map(({ file }) => `/${file}`),
          styles: chunks.flatMap(({ css = [] }) => css).map((file) => `/${file}`),
          reads: [SESSION, ...reads],
        },
      ];
    }),
  );
}

/** The module's chunk and all that it imports, without what the document names itself: the entries and what those import. */
function neededBy(manifest: Manifest, source: string): readonly Chunk[] {
  if (manifest[source] === undefined)
    throw new Error(`expected \`${source}\` among the built files, found none; name the page’s module in early.ts`);
  const entries = Object.keys(manifest).filter((name) => manifest[name]?.isEntry === true);
  const loaded = new Set(entries.flatMap((name) => withImports(manifest, name)));
  return withImports(manifest, source).flatMap((name) => (loaded.has(name) ? [] : (manifest[name] ?? [])));
}

function withImports(manifest: Manifest, name: string, seen: ReadonlySet<string> = new Set()): readonly string[] {
  if (seen.has(name)) return [];
  const imports = manifest[name]?.imports ?? [];
  return [...new Set([name, ...imports.flatMap((each) => withImports(manifest, each, new Set([...seen, name])))])];
}
