/** The heading of a view: it names the tab, and takes the focus where the view replaces another one. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { titleOf } from '../logic/names.ts';

interface Props {
  id: string;
  /** What the tab calls the view. */
  view: string;
  /** Name of the file that the view is about. */
  table?: string | undefined;
  children: ComponentChildren;
}

/** A page that has just been loaded is read from its beginning. */
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
