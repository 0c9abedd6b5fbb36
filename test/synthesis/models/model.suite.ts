/** What every model keeps, whatever it models. */
import { describe, expect, test } from 'vitest';
import { jobEventSchema, type ProgressEvent } from '../../../packages/contract/events.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type {
  FittedModel,
  Model,
  ModelColumn,
  ModelTable,
  OnProgress,
} from '../../../packages/synthesis/models/model.ts';
import { fitTask, silent, tableOf } from './tables.ts';

export interface ModelCase {
  model: Model;
  /** Columns as the model takes them, of any length; `constant`: every cell alike; `missing`: some cells missing. */
  column(name: string, rows: number, kind: 'plain' | 'constant' | 'missing'): ModelColumn;
  /** A column that the model may condition on. */
  given(name: string, rows: number): ModelColumn;
  /** Columns modelled at once. */
  columns: number;
}

const NAMES = ['plain', '__proto__', 'constructor', 'a,b "c"\n', '', '😀', 'toString'];

export function modelSuite({ model, column, given, columns }: ModelCase): void {
  const names = NAMES.slice(0, columns);
  const tableFor = (rows: number, kind: 'plain' | 'constant' | 'missing', modelled = names): ModelTable =>
    tableOf(...modelled.map((name) => column(name, rows, kind)), given('given', rows));
  const fitOn = (table: ModelTable, modelled = names, onProgress: OnProgress = silent): Promise<FittedModel> =>
    model.fit({ ...fitTask(table, modelled, ['given']), onProgress });
  const sample = (
    fitted: FittedModel,
    rows: number,
    seed = 5,
    onProgress: OnProgress = silent,
  ): Promise<ModelColumn[]> =>
    fitted.sample({ rows, made: tableOf(given('given', rows)), random: createStream(seed, 's'), onProgress });

  describe(`${model.name}, as a model`, () => {
    test.each([1, 40, 500])('samples %i rows of every column, in the order of the fit', async (rows) => {
      const made = await sample(await fitOn(tableFor(60, 'plain')), rows);
      expect(made.map(({ name }) => name)).toEqual(names);
      for (const one of made) expect(one.kind === 'category' ? one.codes.length : one.values.length).toBe(rows);
      for (const one of made) expect(one.kind).toBe(column('x', 1, 'plain').kind);
    });

    test('gives the same sample for the same streams, and another for another seed', async () => {
      const first = await sample(await fitOn(tableFor(60, 'plain')), 50);
      expect(await sample(await fitOn(tableFor(60, 'plain')), 50)).toEqual(first);
      expect(await sample(await fitOn(tableFor(60, 'plain')), 50, 6)).not.toEqual(first);
    });

    test('comes back from its JSON as it was', async () => {
      const fitted = await fitOn(tableFor(60, 'missing'));
      const restored = model.restore(JSON.parse(JSON.stringify(fitted.save())));
      expect(await sample(restored, 70)).toEqual(await sample(fitted, 70));
      expect(restored.save()).toEqual(fitted.save());
      expect(restored.diagnostics()).toEqual(fitted.diagnostics());
    });

    test.each([null, {}, [], 'x', { columns: 3 }])('refuses to restore %j', (saved) => {
      expect(() => model.restore(saved)).toThrow(expect.objectContaining({ name: 'ZodError' }));
    });

    test.each(['missing', 'constant'] as const)('takes columns of %s cells', async (kind) => {
      const made = await sample(await fitOn(tableFor(60, kind)), 30);
      expect(made.length).toBe(names.length);
    });

    test.each([1, 2])('takes a table of %i rows', async (rows) => {
      const made = await sample(await fitOn(tableFor(rows, 'plain')), 5);
      expect(made.length).toBe(names.length);
    });

    test.each(NAMES)('takes the column name %j', async (name) => {
      const made = await sample(await fitOn(tableFor(20, 'plain', [name]), [name]), 5);
      expect(made.map((one) => one.name)).toEqual([name]);
    });

    test('says what it does in both steps, and stops where it may not go on', async () => {
      const events: ProgressEvent[] = [];
      const keep: OnProgress = async (event) => void events.push(event);
      const stop: OnProgress = async () => {
        throw new Error('stopped');
      };
      const fitted = await fitOn(tableFor(30, 'plain'), names, keep);
      expect(events.length).toBeGreaterThan(0);
      await sample(fitted, 10, 5, keep);
      for (const event of events) jobEventSchema.parse({ ...event, seconds: 0 });
      expect(new Set(events.map(({ stage }) => stage))).toEqual(new Set(['fit', 'generate']));
      await expect(fitOn(tableFor(30, 'plain'), names, stop)).rejects.toThrow('stopped');
      await expect(sample(fitted, 10, 5, stop)).rejects.toThrow('stopped');
    });

    test('says plain facts of its fit', async () => {
      const facts = (await fitOn(tableFor(30, 'plain'))).diagnostics();
      expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
      expect(Object.keys(facts).length).toBeGreaterThan(0);
    });

    test('refuses columns that the table does not have', async () => {
      await expect(fitOn(tableFor(10, 'plain'), ['absent'])).rejects.toThrow(RangeError);
    });
  });
}
