import { useEffect } from 'react';

/** Names the page in the browser's title. The count of what waits is put before it by the frame. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    const count = /^\(\d+\) /.exec(document.title)?.[0] ?? '';
    document.title = `${count}${title} · Hephaisto`;
  }, [title]);
}
