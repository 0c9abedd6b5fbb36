import { describe, expect, it } from 'vitest';
import type { ProgressEvent } from '../../../packages/contract/events.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { avoidCopies, rowCopies } from '../../../packages/synthesis/disclosure/avoidCopies.ts';
import type { Redraw } from '../../../packages/synthesis/disclosure/breaches.ts';
import { plannedByName } from '../../../packages/synthesis/methods/placeColumns.ts';
import { redrawRows } from '../../../packages/synthesis/methods/rows/redrawRows.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import type { Plan } from '../../../packages/synthesis/plan/plan.ts';
import type { PlannedColumn } from '../../../packages/synthesis/table/modelTable.ts';

const ROWS = 200;
const tableOf = (values: ArrayLike<number>): ModelTable => ({
  rows: values.length,
  columns: new Map([['x', { kind: 'numeric', name: 'x', values: Float64Array.from(values) }]]),
});

/** One number a row, which the model draws from 0 … `most` - 1. */
function taskOf(most: number) {
  const column = {
    name: 'x',
    role: 'continuous',
    format: { kind: 'plain', format: { integer: true, decimals: 0, fixed: false, min: 0, max: most } },
    derivation: null,
    missingRule: null,
    indicator: null,
    difference: null,
  } as unknown as PlannedColumn;
  const plan = { columns: [column], orders: [], batches: [], seedColumns: [] } as unknown as Plan;
  expect(plannedByName(plan).size).toBe(1);
  const random = createStream(1, 'model');
  const fitted = {
    sample: async ({ rows }: { rows: number }) => [
      { kind: 'numeric' as const, name: 'x', values: Float64Array.from({ length: rows }, () => random.integer(most)) },
    ],
    save: () => null,
    diagnostics: () => ({}),
  };
  const said: ProgressEvent[] = [];
  const progress = {
    onProgress: async (event: ProgressEvent) => {
      said.push(event);
    },
    yieldToEventLoop: async () => {},
  };
  const models = [{ role: 'continuous' as const, fitted }];
  return { said, task: { plan, models, seedColumns: null, progress } };
}

function avoid(task: ReturnType<typeof taskOf>['task'], real: ModelTable, drawn: ModelTable) {
  const { plan, progress } = task;
  const redraw: Redraw = (table, breach, random) => redrawRows(task, table, breach, random);
  return avoidCopies({ rule: rowCopies(plan, real), redraw, random: createStream(2, 'redraw'), progress }, drawn);
}

const valuesIn = (table: ModelTable): number[] => {
  const column = table.columns.get('x');
  return column?.kind === 'numeric' ? [...column.values] : [];
};
const drawn = (most: number) => {
  const random = createStream(3, 'drawn');
  return tableOf(Float64Array.from({ length: ROWS }, () => random.integer(most)));
};

describe('avoidCopies', () => {
  it('draws rows anew that equal a real one, where no two real rows are equal', async () => {
    const real = tableOf(Float64Array.from({ length: 100 }, (_, i) => 3 * i));
    const before = drawn(4000);
    const { task, said } = taskOf(4000);
    const { table, notes } = await avoid(task, real, before);
    const isReal = (value: number) => value < 300 && value % 3 === 0;
    const copies = valuesIn(before).filter(isReal).length;
    expect(copies).toBeGreaterThan(0);
    expect(valuesIn(table).filter(isReal)).toEqual([]);
    expect(valuesIn(table).filter((value, row) => value !== valuesIn(before)[row])).toHaveLength(copies);
    expect(notes).toEqual([
      `${copies} drawn rows equalled a real row, more than real rows equal each other, and were redrawn.`,
    ]);
    expect(said).toEqual([{ stage: 'gate', fact: 'copies_redrawn', rows: copies }]);
  });

  it('leaves them where real rows are as often equal', async () => {
    const real = tableOf(Float64Array.from({ length: 100 }, (_, i) => (i < 60 ? Math.floor(i / 2) : i)));
    const before = drawn(400);
    const { task, said } = taskOf(400);
    expect(await avoid(task, real, before)).toEqual({ table: before, notes: [] });
    expect(said).toEqual([]);
  });

  it('leaves them where there are few other rows', async () => {
    const real = tableOf([0, 1, 2, 3]);
    const before = drawn(4);
    const { task } = taskOf(4);
    expect(await avoid(task, real, before)).toEqual({ table: before, notes: [] });
  });

  it('ends where no other row comes, and says so', async () => {
    const real = tableOf([500, 501]);
    const before = tableOf(Float64Array.from({ length: ROWS }, (_, i) => (i < 3 ? 500 : i)));
    const { task } = taskOf(9000);
    task.models[0]!.fitted.sample = async ({ rows }) => [
      { kind: 'numeric', name: 'x', values: new Float64Array(rows).fill(501) },
    ];
    const { table, notes } = await avoid(task, real, before);
    expect(valuesIn(table)).toEqual(valuesIn(before));
    expect(notes.join()).toContain('and were redrawn; 3 still do, since no other rows could be drawn.');
  });
});
