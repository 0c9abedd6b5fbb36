import { useEffect, useRef } from 'preact/hooks';

/** For the heading of what has just appeared: keyboard and screen reader go on from there. */
export function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
  }, []);
  return heading;
}
