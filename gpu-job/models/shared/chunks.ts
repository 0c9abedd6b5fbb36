/** Rows in pieces: after each piece a model reports, so that a job can be stopped and its process answers. */

const CHUNK_ROWS = 50_000;

export function* chunks(rows: number, size = CHUNK_ROWS): Generator<{ from: number; to: number }> {
  for (let from = 0; from < rows; from += size) yield { from, to: Math.min(rows, from + size) };
}

/** Reports that a loop over columns makes, at most. */
const REPORTS = 10;

/** True after the last of `count` columns, and evenly before it: so often is it time to report. */
export const isTurn = (at: number, count: number): boolean =>
  at + 1 === count || Math.floor(((at + 1) * REPORTS) / count) > Math.floor((at * REPORTS) / count);
