/** The conditions of the writes to a job's item, by name, and the values that they speak of. */
import { text } from './attributes.ts';
import type { Item } from './recordTable.ts';

export const STARTABLE = '#attempt = :before AND #state IN (:uploaded, :failed)';
export const STARTED = '#attempt = :attempt AND #state = :started';
export const RUNNING = '#attempt = :attempt AND #state = :running';
export const UNRELEASED = '#attempt = :attempt AND #state = :done AND attribute_not_exists(#releasedAt)';
export const ACTIVE = '#attempt = :attempt AND #state IN (:started, :running)';
export const NOT_ACTIVE = `attribute_not_exists(#attempt) OR NOT (${ACTIVE})`;
/** The attempt is run by the process that writes. */
export const OWN = '#runner = :runner';

/** A value for each name of a state or phase in an expression: `:started` and so on. */
export const valuesIn = (...expressions: string[]): Item =>
  Object.fromEntries(
    expressions
      .flatMap((expression) => [...expression.matchAll(/:(uploaded|started|running|done|failed|active|ended)\b/g)])
      .map(([placeholder, name]) => [placeholder, text(name ?? '')]),
  );
