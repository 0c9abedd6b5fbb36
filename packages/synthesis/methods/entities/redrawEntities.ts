/** Entities that break a rule, or whose sequence is nearly a real one's, are drawn again with all their rows. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { counted } from '../../../words/wording.ts';
import { measuredColumns, takeRows } from '../../metrics/columns.ts';
import { rowsOfEntities, startsOf } from '../../table/entityRows.ts';
import { sequenceCopies } from '../../metrics/entities/sequenceCopies.ts';
import { type ModelTable, textColumn } from '../../models/model.ts';
import { concatRows } from '../../table/concatRows.ts';
import type { Split } from '../rows/holdOut.ts';
import { measureRolesOf, type Plan } from '../../plan/plan.ts';
import type { Progress } from '../../progress.ts';
import { entityTable } from './sequencePlan.ts';
import { type FittedSequences, rowsOf } from './sequences.ts';

const ROUNDS = 8;

/** All rows of the entities with a row that breaks a rule are drawn again, for the same keys and constant columns. */
export async function redrawEntities(
  {
    plan,
    sequences,
    random,
    progress,
  }: { plan: Plan; sequences: FittedSequences; random: RandomStream; progress: Progress },
  table: ModelTable,
  breach: (table: ModelTable) => Uint8Array,
): Promise<{ table: ModelTable; redrawn: number }> {
  const { key, constants } = sequences.plan;
  const touched = new Set<string | null>();
  let current = table;
  for (let round = 0; round < ROUNDS; round++) {
    const starts = startsOf(current, key);
    const entities = entitiesWith(breach(current), starts);
    if (entities.length === 0) break;
    await progress.yieldToEventLoop();
    const some = takeRows(entityTable(current, starts, [...constants, key]), Int32Array.from(entities));
    const quiet = { ...progress, onProgress: progress.yieldToEventLoop };
    const by = await rowsOf(plan, sequences, some, random.child(`round ${round}`), quiet);
    for (const value of textColumn(some, key).values) touched.add(value);
    current = withEntities(current, key, entities, by.table);
  }
  return { table: current, redrawn: touched.size };
}

function entitiesWith(flags: Uint8Array, starts: Int32Array): number[] {
  const out: number[] = [];
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    if (flags.subarray(starts[entity], starts[entity + 1]).includes(1)) out.push(entity);
  }
  return out;
}

/** The table with all rows of some entities replaced by those of others, which are as many. */
function withEntities(table: ModelTable, key: string, entities: readonly number[], by: ModelTable): ModelTable {
  const starts = startsOf(table, key);
  const others = startsOf(by, key);
  const next = new Map(entities.map((entity, at) => [entity, at]));
  const both = concatRows([table, by]);
  const rows: number[] = [];
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    const at = next.get(entity);
    if (at === undefined) rows.push(...rowsOfEntities(starts, [entity]));
    else rows.push(...rowsOfEntities(others, [at]).map((row) => row + table.rows));
  }
  return takeRows(both, Int32Array.from(rows));
}

interface AvoidTask {
  plan: Plan;
  sequences: FittedSequences;
  split: Split;
  random: RandomStream;
  progress: Progress;
}

/** Redraws entities whose sequence is nearly a real one's, where they are more than held-out ones show. */
export async function avoidSequences(
  task: AvoidTask,
  table: ModelTable,
): Promise<{ table: ModelTable; notes: string[] }> {
  const { plan, sequences, split, random } = task;
  const { key } = sequences.plan;
  const { numeric, categorical } = measuredColumns(measureRolesOf(plan), table);
  const names = [...numeric, ...categorical];
  const real = { table: split.train, starts: startsOf(split.train, key) };
  const flagsOf = (of: ModelTable): Uint8Array =>
    sequenceCopies({ table: of, starts: startsOf(of, key) }, real, names, random.child('look'));
  const found = shareOf(flagsOf(table));
  if (found === 0 || (split.holdout && found <= shareOf(flagsOf(split.holdout)))) return { table, notes: [] };
  const breach = (of: ModelTable): Uint8Array => inRows(flagsOf(of), startsOf(of, key));
  const out = await redrawEntities(task, table, breach);
  return { table: out.table, notes: [nearNote(out.redrawn)] };
}

const shareOf = (flags: Uint8Array): number => flags.reduce((sum, flag) => sum + flag, 0) / Math.max(1, flags.length);

function inRows(flags: Uint8Array, starts: Int32Array): Uint8Array {
  const rows = new Uint8Array(starts.at(-1)!);
  flags.forEach((flag, entity) => {
    rows.fill(flag, starts[entity], starts[entity + 1]);
  });
  return rows;
}

const nearNote = (entities: number): string =>
  `${counted(entities, 'entity', 'entities')} had a sequence that nearly equalled a real one, and ${entities === 1 ? 'was' : 'were'} redrawn.`;
