import { type RefObject, useEffect, useRef, useState } from 'react';

/** Width of the element in CSS pixels, so that a picture is drawn for the room it has and its text is never stretched. */
export function useWidth<E extends Element>(first: number): readonly [RefObject<E | null>, number] {
  const ref = useRef<E>(null);
  const [width, setWidth] = useState(first);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(120, Math.floor(entry.contentRect.width)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
