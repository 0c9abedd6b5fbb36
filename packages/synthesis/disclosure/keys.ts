/** Decides which rows get a key, and refuses real keys in a result. */
import { JobError } from '../../contract/errors.ts';
import { ascendingRows } from '../../numerics/rows.ts';
import type { ModelTable } from '../models/model.ts';
import { namesOf, type Plan } from '../plan/plan.ts';
import { isGone, type PlannedColumn } from '../table/modelTable.ts';

/** Omits columns without missing cells, or with a rule for them. */
export function rowsWithKeys(columns: Iterable<PlannedColumn>, made: ModelTable): ReadonlyMap<string, Int32Array> {
  const rows = new Map<string, Int32Array>();
  for (const { name, role, indicator, missingRule } of columns) {
    const missing = indicator === null ? undefined : made.columns.get(indicator);
    if (role !== 'identifier' || !missing || missingRule) continue;
    const all = ascendingRows(made.rows);
    rows.set(
      name,
      all.filter((row) => !isGone(missing, row)),
    );
  }
  return rows;
}

/** Throws JobError `unsafe_result` if a synthetic key is real. */
export function refuseRealKeys(plan: Plan, real: ModelTable, synthetic: ModelTable): void {
  for (const name of namesOf(plan, 'identifier')) {
    const known = new Set(keysOf(real, name));
    const rows = keysOf(synthetic, name).filter((key) => known.has(key)).length;
    if (rows > 0) throw new JobError({ reason: 'real_keys_in_result', column: name });
  }
}

function keysOf(table: ModelTable, name: string): string[] {
  const column = table.columns.get(name);
  if (column?.kind !== 'text') throw new RangeError(`keys of ${JSON.stringify(name)} are no texts`);
  return column.values.flatMap((value) => value?.trim() ?? []).filter((value) => value !== '');
}
