import type { Page } from '@hephaisto/core/report/named';
import type { Client } from './client.ts';

/** Every row of a list that the API gives in pages. */
export async function allPages<T>(client: Client, path: string, query: string): Promise<readonly T[]> {
  const rows: T[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const cursor: string = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`;
    const { body } = await client.get<Page<T>>(`${path}?${query}${cursor}`);
    rows.push(...body.items);
    next = body.next;
  }
  return rows;
}
