/** Rows in pieces: after each piece a model reports, so that a job can be stopped and its process answers. */

const CHUNK_ROWS = 50_000;

export function* chunks(rows: number, size = CHUNK_ROWS): Generator<{ from: number; to: number }> {
  for (let from = 0; from < rows; from += size) yield { from, to: Math.min(rows, from + size) };
}
