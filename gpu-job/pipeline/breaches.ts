/** Which rows of a synthetic table break the release policy. */
import { type MeasuredColumns, takeRows } from '../metrics/columns.ts';
import { findCopies, numberRows } from '../metrics/duplicateRate.ts';
import { neighboursOf, rankTables } from '../metrics/privacy/rankedTable.ts';
import { RUN, runHashes } from '../metrics/privacy/textMemorisation.ts';
import type { ModelTable } from '../models/model.ts';
import { COMMON_ROWS, hashText, protectedTexts } from '../models/text/verbatim.ts';

/** 1 for each row that breaks a rule. */
export type Breach = (table: ModelTable) => Uint8Array;

/** Characters of real texts whose runs are kept in mind, at most: 160 MB. Of more text the rest is not looked at. */
const MOST_CHARACTERS = 20_000_000;

/** Share of held-out rows that are as near to a training row as what counts as near. */
const NEAR_SHARE = 0.05;

/** Rows that equal, in every column, a real row that stands there once. */
export function copyBreach(real: ModelTable, columns: MeasuredColumns): Breach {
  const own = { ...columns, text: [] };
  if (own.numeric.length + own.categorical.length === 0) return none;
  const groups = numberRows(real, own);
  const counts = new Map<number, number>();
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1);
  const rows = Int32Array.from({ length: real.rows }, (_, row) => row);
  const singles = takeRows(
    real,
    rows.filter((row) => counts.get(groups[row]!) === 1),
  );
  return (table) => findCopies(table, singles, own);
}

/** Rows with a text that holds a run of `RUN` characters which few real texts have; of shorter texts, that is one whole. */
export function verbatimBreach(real: ModelTable, names: readonly string[]): Breach {
  const known = names.map((name) => ({ name, ...rememberTexts(textsOf(real, name)) }));
  return (table) => {
    const out = new Uint8Array(table.rows);
    for (const { name, runs, whole } of known) {
      textsOf(table, name).forEach((text, row) => {
        if (text === null || out[row] === 1) return;
        const isKnown = text.length < RUN ? whole.has(hashText(text)) : hasRun(text, runs);
        if (isKnown && text !== '') out[row] = 1;
      });
    }
    return out;
  };
}

/** Rows that are as near to a training row as the nearest twentieth of held-out rows are, or nearer. */
export function nearBreach(train: ModelTable, holdout: ModelTable, columns: MeasuredColumns): Breach {
  const own = { ...columns, text: [] };
  if (own.numeric.length + own.categorical.length === 0 || holdout.rows === 0) return none;
  const distances = (asked: ModelTable): Float64Array => {
    const [ranked, real] = rankTables([train, holdout], [asked, train], own);
    const neighbours = neighboursOf(ranked!, real!, own);
    return Float64Array.from({ length: asked.rows }, (_, row) => neighbours.nearest(row));
  };
  const held = distances(holdout).sort();
  const threshold = held[Math.max(0, Math.ceil(NEAR_SHARE * held.length) - 1)]!;
  return (table) => Uint8Array.from(distances(table), (distance) => (distance <= threshold ? 1 : 0));
}

export const anyOf =
  (breaches: readonly Breach[]): Breach =>
  (table) => {
    const all = breaches.map((breach) => breach(table));
    return Uint8Array.from({ length: table.rows }, (_, row) => (all.some((flags) => flags[row] === 1) ? 1 : 0));
  };

export const countRows = (flags: Uint8Array): number => flags.reduce((sum, flag) => sum + flag, 0);

const none: Breach = (table) => new Uint8Array(table.rows);

function textsOf(table: ModelTable, name: string): readonly (string | null)[] {
  const column = table.columns.get(name);
  return column?.kind === 'text' ? column.values : [];
}

/** Hashes of the runs that fewer than `COMMON_ROWS` places have, sorted: what more have is a phrase, and nobody's. */
function rememberTexts(cells: readonly (string | null)[]): { runs: Float64Array; whole: ReadonlySet<number> } {
  const texts = cells.filter((text): text is string => text !== null && text !== '');
  const all = new Float64Array(
    Math.min(
      MOST_CHARACTERS,
      texts.reduce((sum, text) => sum + Math.max(0, text.length - RUN + 1), 0),
    ),
  );
  let at = 0;
  for (const text of texts) {
    for (const hash of runHashes(text)) if (at < all.length) all[at++] = hash;
  }
  const sorted = all.sort();
  let kept = 0;
  for (let start = 0, end = 0; start < sorted.length; start = end) {
    while (end < sorted.length && sorted[end] === sorted[start]) end++;
    if (end - start < COMMON_ROWS) sorted[kept++] = sorted[start]!;
  }
  return { runs: sorted.subarray(0, kept), whole: protectedTexts(texts) };
}

function hasRun(text: string, runs: Float64Array): boolean {
  for (const hash of runHashes(text)) if (holds(runs, hash)) return true;
  return false;
}

function holds(sorted: Float64Array, wanted: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted;
}
