/** Leaks that a mean over all columns and rows drowns, planted in fresh rows; `npm run bench -- plantedLeaks` counts them in many tables. */
import { describe, expect, it } from 'vitest';
import { CLINIC_MINORITY, CLINIC_ROLES, clinicTable } from '../../../bench/support/clinicTable.ts';
import { LEAKS } from '../../../bench/support/plantLeak.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { measuredColumns } from '../../../packages/synthesis/judge/columns.ts';
import { makeParts } from '../../../packages/synthesis/judge/parts.ts';
import { lookUps } from '../../../packages/synthesis/judge/privacy/lookUps.ts';
import { membership } from '../../../packages/synthesis/judge/privacy/membership.ts';
import { strangeRows } from '../../../packages/synthesis/judge/privacy/strangeRows.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import { takeRows } from '../../../packages/synthesis/table/takeRows.ts';
import { measureTask } from './tables.ts';

const ROWS = 700;

async function planted(leak: string, coarsen: (table: ModelTable) => ModelTable = (table) => table) {
  const random = createStream(5, `planted ${leak}`);
  const all = coarsen(clinicTable(3 * ROWS, random.child('draw')));
  const [train, holdout, fresh] = [0, 1, 2].map((part) =>
    takeRows(
      all,
      Int32Array.from({ length: ROWS }, (_, row) => part * ROWS + row),
    ),
  ) as [ModelTable, ModelTable, ModelTable];
  const task = { train, fresh, columns: measuredColumns(CLINIC_ROLES, train), minority: CLINIC_MINORITY };
  const synthetic = LEAKS[leak]!({ ...task, pair: ['cost', 'crp'], random: random.child('leak') });
  const parts = makeParts({ train, holdout, synthetic, folds: undefined, roles: CLINIC_ROLES, random });
  return measureTask(parts, random.child('task'));
}

/** Every number in steps of half a standard deviation or so, as a survey asks for it. */
function survey(table: ModelTable): ModelTable {
  const steps = new Map([
    ['age', 10],
    ['bmi', 3],
    ['systolic', 10],
    ['crp', 5],
    ['stay', 2],
    ['cost', 2000],
  ]);
  const columns = [...table.columns].map(([name, column]) => {
    const step = steps.get(name);
    if (column.kind !== 'numeric' || step === undefined) return [name, column] as const;
    return [name, { ...column, values: column.values.map((value) => step * Math.round(value / step)) }] as const;
  });
  return { rows: table.rows, columns: new Map(columns) };
}

describe('attacks on planted leaks', () => {
  it('read one column off another if every pair is that of a training row', async () => {
    const { look_ups } = await lookUps(await planted('a pair of everybody'));
    expect(look_ups[0]).toMatchObject({ known: ['cost'], column: 'crp', advantage: { verdict: 'worse' } });
    expect(look_ups[0]!.advantage.value).toBeGreaterThan(0.9);
  });

  it('see rows stitched together from halves', async () => {
    const { membership: found } = await membership(await planted('every row stitched from halves'));
    const coincidence = found.find(({ score, over }) => score === 'coincidence' && over === 'all');
    expect(coincidence?.highest.verdict).toBe('worse');
  });

  it('see noisy copies in a coarse table by the numbers that no real row has', async () => {
    const { strange_rows } = await strangeRows(await planted('5 %, .03 sd on all numbers', survey));
    expect(strange_rows.verdict).toBe('worse');
    expect(strange_rows.value).toBeGreaterThan(0.8);
  });

  it('are silent over fresh rows', async () => {
    const task = await planted('fresh');
    const [{ look_ups }, { membership: found }, { strange_rows }] = [
      await lookUps(task),
      await membership(task),
      await strangeRows(task),
    ];
    const verdicts = [
      ...look_ups.map(({ advantage }) => advantage),
      ...found.flatMap(({ auc, highest }) => [auc, highest]),
      strange_rows,
    ].map(({ verdict }) => verdict);
    expect(verdicts).not.toContain('worse');
  });
});
