/** Finds rows that break a disclosure rule. */
import type { RandomStream } from '../../numerics/random/stream.ts';
import { contains } from '../../numerics/search.ts';
import type { MeasuredColumns } from '../judge/columns.ts';
import { findCopies, onlyOnce } from '../judge/duplicateRate.ts';
import { neighboursOf, rankTables } from '../judge/nearestNeighbours.ts';
import { RUN, runHashes } from '../judge/privacy/textMemorisation.ts';
import type { ModelTable } from '../models/model.ts';
import { hashText, type Owners, ownedTexts, protectedTexts } from './guardTexts.ts';
import { COMMON_ROWS } from './thresholds.ts';

/** Flags rows that break a rule (1 or 0, n). */
export type Breach = (table: ModelTable) => Uint8Array;

export type Redraw = (
  table: ModelTable,
  breach: Breach,
  random: RandomStream,
) => Promise<{ table: ModelTable; redrawn: number }>;

/** Maximum indexed characters (160 MB); the rest is not checked. */
const MAX_CHARACTERS = 20_000_000;

const NEAR_SHARE = 0.05;

/** Flags rows that equal a unique real row, apart from texts. */
export function copyBreach(real: ModelTable, columns: MeasuredColumns): Breach {
  const own = { ...columns, text: [] };
  if (own.numeric.length + own.categorical.length === 0) return none;
  const singles = onlyOnce(real, own);
  return (table) => findCopies(table, singles, own);
}

/**
 * Flags texts that share a rare run of `RUN` characters, or a rare shorter text.
 * @param owners of the real rows; by default one per row.
 */
export function verbatimBreach(real: ModelTable, names: readonly string[], owners?: Owners): Breach {
  const known = names.map((name) => ({ name, ...rememberTexts(textsOf(real, name), owners) }));
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

/** Flags rows as near to a training row as the nearest twentieth of held-out rows. */
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

/** Ignores runs of `COMMON_ROWS` owners, which are common phrases. */
function rememberTexts(cells: readonly (string | null)[], whose?: Owners) {
  const { texts, owners } = ownedTexts(cells, whose);
  const all = new Float64Array(
    Math.min(
      MAX_CHARACTERS,
      texts.reduce((sum, text) => sum + Math.max(0, text.length - RUN + 1), 0),
    ),
  );
  let at = 0;
  for (const hash of owners ? runsOfOwners(texts, owners) : runsOf(texts)) if (at < all.length) all[at++] = hash;
  const sorted = all.subarray(0, at).sort();
  let kept = 0;
  for (let start = 0, end = 0; start < sorted.length; start = end) {
    while (end < sorted.length && sorted[end] === sorted[start]) end++;
    if (end - start < COMMON_ROWS) sorted[kept++] = sorted[start]!;
  }
  return { runs: sorted.subarray(0, kept), whole: protectedTexts(texts, owners) };
}

function* runsOf(texts: readonly string[]): Generator<number> {
  for (const text of texts) yield* runHashes(text);
}

/** An owner's texts must be adjacent. */
function* runsOfOwners(texts: readonly string[], owners: readonly number[]): Generator<number> {
  for (let from = 0, to = 0; from < texts.length; from = to) {
    while (to < texts.length && owners[to] === owners[from]) to++;
    yield* new Set(runsOf(texts.slice(from, to)));
  }
}

function hasRun(text: string, runs: Float64Array): boolean {
  for (const hash of runHashes(text)) if (contains(runs, hash)) return true;
  return false;
}
