import { type RefObject, useEffect, useRef, useState } from 'react';

interface DiffSeen {
  /** Belongs on an element right behind the last line of the diff. */
  readonly end: RefObject<HTMLDivElement | null>;
  readonly seen: boolean;
}

/**
 * Whether the end of this proposal's diff has been in sight. The end is watched rather than a share of the whole: a diff taller than the window never
 * shows a fixed share at once. Another proposal starts unseen.
 */
export function useDiffSeen(proposalId: string): DiffSeen {
  const end = useRef<HTMLDivElement>(null);
  const [seenId, setSeenId] = useState<string>();
  useEffect(() => {
    const element = end.current;
    if (element === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      setSeenId(proposalId);
      observer.disconnect();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [proposalId]);
  return { end, seen: seenId === proposalId };
}
