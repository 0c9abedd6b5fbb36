/** Rows that break a rule, redrawn under the same conditions until none is left or the rounds are used up. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { ascendingRows } from '../../../numerics/rows.ts';
import { contains } from '../../../numerics/search.ts';
import { type MeasuredColumns, takeRows } from '../../metrics/columns.ts';
import { findCopies, onlyOnce } from '../../metrics/duplicateRate.ts';
import { neighboursOf, rankTables } from '../../metrics/nearestNeighbours.ts';
import { RUN, runHashes } from '../../metrics/privacy/textMemorisation.ts';
import type { ModelColumn, ModelTable } from '../../models/model.ts';
import { COMMON_ROWS, hashText, type Owners, ownedTexts, protectedTexts } from '../../disclosure/guardTexts.ts';
import { concatRows } from '../../table/concatRows.ts';
import { type Batch, rowsMeeting, type SeedColumns } from '../../plan/conditions.ts';
import { redrawEntities } from '../entities/redrawEntities.ts';
import type { FittedSequences } from '../entities/sequences.ts';
import type { FittedRole } from './fitRows.ts';
import { generateTable } from './generateRows.ts';
import { namesOf, type Plan } from '../../plan/plan.ts';
import type { Progress } from '../../progress.ts';

export interface RedrawTask {
  plan: Plan;
  models: readonly FittedRole[];
  seedColumns: SeedColumns | null;
  random: RandomStream;
  progress: Progress;
  /** Of a table whose rows belong together: entities are redrawn with all their rows. */
  sequences?: FittedSequences | null;
}

const ROUNDS = 12;
/** Rows drawn for each that is wanted, and beyond. */
const SPARE = 1.5;
const MORE = 20;
/** Rows drawn in one round, at most. */
const MAX_DRAWN = 20_000;

/** Identifiers stay those of the rows that are replaced, since no two rows may have the same. */
export async function redrawRows(
  task: RedrawTask,
  table: ModelTable,
  breach: Breach,
): Promise<{ table: ModelTable; redrawn: number }> {
  const { sequences } = task;
  if (sequences) return redrawEntities({ ...task, sequences }, table, breach);
  let current = table;
  const touched = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const flags = breach(current);
    if (countRows(flags) === 0) break;
    await task.progress.yieldToEventLoop();
    const { places, replacements } = await drawRound(task, current, flags, breach, task.random.child(`round ${round}`));
    for (const place of places) touched.add(place);
    current = replaceRows(task.plan, current, places, replacements);
  }
  return { table: current, redrawn: touched.size };
}

interface Round {
  /** Rows that are replaced, and by which rows. */
  places: number[];
  replacements: ModelTable | null;
}

/** Rows that meet the same conditions stand for each other. */
async function drawRound(
  task: RedrawTask,
  table: ModelTable,
  flags: Uint8Array,
  breach: Breach,
  random: RandomStream,
): Promise<Round> {
  const wanted = new Map<string, number[]>();
  const kinds = kindsOf(task.plan.batches, table);
  flags.forEach((flag, row) => {
    if (flag === 1) wanted.set(kinds[row]!, [...(wanted.get(kinds[row]!) ?? []), row]);
  });
  const places: number[] = [];
  const drawn: ModelTable[] = [];
  for (const [kind, rows] of wanted) {
    const asked = Math.min(MAX_DRAWN, Math.ceil(rows.length * SPARE) + MORE);
    const candidates = await drawKind(task, kind, asked, random.child(`kind ${kind}`));
    const [bad, met] = [breach(candidates), kindsOf(task.plan.batches, candidates)];
    const good = Int32Array.from(bad.keys()).filter((row) => bad[row] === 0 && met[row] === kind);
    const taken = good.slice(0, rows.length);
    places.push(...rows.slice(0, taken.length));
    if (taken.length > 0) drawn.push(takeRows(candidates, taken));
  }
  return { places, replacements: drawn.length > 0 ? concatRows(drawn) : null };
}

/** Which batches' conditions each row meets: "101". '' where there are none. */
function kindsOf(batches: readonly Batch[], table: ModelTable): string[] {
  const met = batches.map(({ allowed }) => rowsMeeting(allowed, table));
  return Array.from({ length: table.rows }, (_, row) => met.map((flags) => flags[row]).join(''));
}

async function drawKind(
  { plan, models, seedColumns, progress }: RedrawTask,
  kind: string,
  rows: number,
  random: RandomStream,
): Promise<ModelTable> {
  const batch = plan.batches[kind.indexOf('1')];
  const { yieldToEventLoop } = progress;
  if (!batch) return generateTable(plan, models, rows, random, yieldToEventLoop, { yieldToEventLoop });
  const own = { ...batch, rows };
  const draw: SeedColumns['draw'] = (_, count, stream) => seedColumns!.draw(batch, count, stream);
  return generateTable({ ...plan, batches: [own] }, models, rows, random, yieldToEventLoop, {
    seedColumns: seedColumns && { draw, notes: [] },
    yieldToEventLoop,
  });
}

function replaceRows(plan: Plan, table: ModelTable, places: readonly number[], by: ModelTable | null): ModelTable {
  if (!by) return table;
  const order = ascendingRows(table.rows);
  places.forEach((place, at) => {
    order[place] = table.rows + at;
  });
  const replaced = takeRows(concatRows([table, by]), order);
  const columns = new Map<string, ModelColumn>(replaced.columns);
  for (const name of namesOf(plan, 'identifier')) columns.set(name, table.columns.get(name)!);
  return { rows: table.rows, columns };
}

// Which rows of a synthetic table break the release policy.

/** 1 for each row that breaks a rule. */
export type Breach = (table: ModelTable) => Uint8Array;

/** Characters of real texts whose runs are kept in mind, at most: 160 MB. Of more text the rest is not looked at. */
const MAX_CHARACTERS = 20_000_000;

/** Share of held-out rows that are as near to a training row as what counts as near. */
const NEAR_SHARE = 0.05;

/** Rows that equal, in every column, a real row that occurs once. */
export function copyBreach(real: ModelTable, columns: MeasuredColumns): Breach {
  const own = { ...columns, text: [] };
  if (own.numeric.length + own.categorical.length === 0) return none;
  const singles = onlyOnce(real, own);
  return (table) => findCopies(table, singles, own);
}

/**
 * Rows with a text that holds a run of `RUN` characters which few real texts have; of shorter texts, that is one whole.
 * @param owners of the real rows; without them each is its own.
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

/** Hashes of the runs that fewer than `COMMON_ROWS` places, or owners, have, sorted: what more have is a phrase, and nobody's. */
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

/** A run of one owner once; texts of one stand one under the other. */
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
