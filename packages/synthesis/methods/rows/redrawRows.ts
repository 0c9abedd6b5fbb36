/** Redraws rows that break a rule, under the same conditions. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { ascendingRows } from '../../../numerics/rows.ts';
import { type Breach, countRows } from '../../disclosure/breaches.ts';
import type { ModelColumn, ModelTable } from '../../models/model.ts';
import { type Batch, rowsMeeting, type SeedColumns } from '../../plan/conditions.ts';
import { namesOf, type Plan } from '../../plan/plan.ts';
import { type Progress, quiet } from '../../progress.ts';
import { concatRows } from '../../table/concatRows.ts';
import { takeRows } from '../../table/takeRows.ts';
import type { FittedRole } from './fitRows.ts';
import { generateTable } from './generateRows.ts';

export interface RowModels {
  plan: Plan;
  models: readonly FittedRole[];
  seedColumns: SeedColumns | null;
  progress: Progress;
}

const ROUNDS = 12;
/** Rows drawn per replaced row, plus MORE. */
const SPARE = 1.5;
const MORE = 20;
const MAX_DRAWN = 20_000;

/** Keeps identifiers, which must be unique. */
export async function redrawRows(
  task: RowModels,
  table: ModelTable,
  breach: Breach,
  random: RandomStream,
): Promise<{ table: ModelTable; redrawn: number }> {
  let current = table;
  const touched = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const flags = breach(current);
    if (countRows(flags) === 0) break;
    await task.progress.yieldToEventLoop();
    const { places, replacements } = await drawRound(task, current, flags, breach, random.child(`round ${round}`));
    for (const place of places) touched.add(place);
    current = replaceRows(task.plan, current, places, replacements);
  }
  return { table: current, redrawn: touched.size };
}

interface Round {
  places: number[];
  replacements: ModelTable | null;
}

async function drawRound(
  task: RowModels,
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

/** Batches whose conditions each row meets ("101"), or ''. */
function kindsOf(batches: readonly Batch[], table: ModelTable): string[] {
  const met = batches.map(({ allowed }) => rowsMeeting(allowed, table));
  return Array.from({ length: table.rows }, (_, row) => met.map((flags) => flags[row]).join(''));
}

async function drawKind(task: RowModels, kind: string, rows: number, random: RandomStream): Promise<ModelTable> {
  const { plan, seedColumns } = task;
  const drawing = { ...task, rows, random, progress: quiet(task.progress) };
  const batch = plan.batches[kind.indexOf('1')];
  if (!batch) return generateTable({ ...drawing, seedColumns: null });
  const own = { ...batch, rows };
  const draw: SeedColumns['draw'] = (_, count, stream) => seedColumns!.draw(batch, count, stream);
  return generateTable({
    ...drawing,
    plan: { ...plan, batches: [own] },
    seedColumns: seedColumns && { draw, notes: [] },
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
