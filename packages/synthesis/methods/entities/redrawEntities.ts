/** Redraws entities that break a rule, with all their rows. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Breach } from '../../disclosure/breaches.ts';
import { type ModelTable, textColumn } from '../../models/model.ts';
import { quiet } from '../../progress.ts';
import { concatRows } from '../../table/concatRows.ts';
import { rowsOfEntities, startsOf } from '../../table/entityRows.ts';
import { takeRows } from '../../table/takeRows.ts';
import { entityTable } from './sequencePlan.ts';
import { type EntityModels, rowsOf } from './sequences.ts';

const ROUNDS = 8;

/** Keeps keys and constant columns. */
export async function redrawEntities(
  { plan, fitted, progress }: Omit<EntityModels, 'notes'>,
  table: ModelTable,
  breach: Breach,
  random: RandomStream,
): Promise<{ table: ModelTable; redrawn: number }> {
  const { key, constants } = fitted.plan;
  const touched = new Set<string | null>();
  let current = table;
  for (let round = 0; round < ROUNDS; round++) {
    const starts = startsOf(current, key);
    const entities = entitiesWith(breach(current), starts);
    if (entities.length === 0) break;
    await progress.yieldToEventLoop();
    const some = takeRows(entityTable(current, starts, [...constants, key]), Int32Array.from(entities));
    const by = await rowsOf({ plan, fitted, progress: quiet(progress) }, some, random.child(`round ${round}`));
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
