/** Heading that sets the tab's title and takes focus on navigation. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { titleOf } from '../logic/names.ts';

interface Props {
  id: string;
  view: string;
  table?: string | undefined;
  children: ComponentChildren;
}

/** A newly loaded page is read from the top. */
let isFirst = true;

export function ViewHeading({ id, view, table, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) {
      heading.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = titleOf(view, table);
  }, [view, table]);
  return (
    <h1 id={id} ref={heading} tabIndex={-1} class="breaks">
      {children}
    </h1>
  );
}
