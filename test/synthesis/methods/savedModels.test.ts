import { describe, expect, test } from 'vitest';
import { generateRequestSchema } from '../../../packages/contract/requests.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { openEngine } from '../../../packages/numerics/tensor/engines/openEngine.ts';
import { fitModels } from '../../../packages/synthesis/methods/rows/fitRows.ts';
import { generateTable } from '../../../packages/synthesis/methods/rows/generateRows.ts';
import { restoreModels, saveModels } from '../../../packages/synthesis/methods/savedModels.ts';
import type { ModelColumn, OpenTextResources } from '../../../packages/synthesis/models/model.ts';
import { makePlan } from '../../../packages/synthesis/plan/plan.ts';
import { silent } from '../models/tables.ts';
import { profileOf, tableOf } from '../world.ts';

const WORDS = ['river', 'stone', 'bright', 'cold', 'garden', 'narrow', 'quiet', 'seven', 'lamp', 'orchard'];
const random = createStream(2, 'notes');
const csv = `kind,note\n${Array.from({ length: 80 }, (_, i) => `${'ab'[i % 2]},${Array.from({ length: 8 }, () => WORDS[random.integer(10)]).join(' ')}`).join('\n')}\n`;
const openCpu: OpenTextResources = async () => ({ engine: await openEngine('cpu'), base: null, baseProblem: null });

/** Two levels that three rows have, or two. */
const RARE = `y,x,city,pet\n${Array.from({ length: 240 }, (_, i) => {
  const city = i < 3 ? 'Zanzibar' : ['oslo', 'rome', 'bern'][i % 3];
  const pet = i > 237 ? 'quokka' : ['cat', 'dog'][i % 2];
  return `${((i * 37) % 101) / 10 + (i % 3)},${((i * 53) % 97) / 10},${city},${pet}`;
}).join('\n')}\n`;

const cellsOf = (column: ModelColumn | undefined): unknown[] => {
  if (column?.kind === 'numeric') return [...column.values];
  return column?.kind === 'category' ? [...column.codes].map((code) => column.levels[code]) : [];
};

async function fitted() {
  const request = generateRequestSchema.parse({
    job_id: 'job',
    categorical_cols: ['kind'],
    text_cols: ['note'],
    text_epochs: 1,
  });
  const { plan, table } = makePlan(await profileOf(csv), await tableOf(csv), request);
  const progress = { onProgress: silent, yieldToEventLoop: silent };
  return {
    plan,
    models: await fitModels({ plan, table, random: createStream(1, 'fit'), progress, openText: openCpu }),
  };
}

describe('saved models', () => {
  test('write what the fitted ones write, a language model on an engine of its own among them', async () => {
    const { plan, models } = await fitted();
    const saved = saveModels({ seed: 1, plan, models }) ?? '';
    expect(saved).toContain('"network":{');
    const { models: restored } = restoreModels(saved, 'job', plan, openCpu);
    expect(restored.map(({ role }) => role)).toEqual(models.map(({ role }) => role));
    const kinds = { kind: 'category' as const, name: 'kind', codes: new Int32Array(12), levels: ['a', 'b'] };
    const made = { rows: 12, columns: new Map([['kind', kinds]]) };
    const write = (all: typeof models) =>
      all
        .find(({ role }) => role === 'text')
        ?.fitted.sample({ rows: 12, made, random: createStream(3, 's'), onProgress: silent });
    expect(await write(restored)).toEqual(await write(models));
  });

  test('name no level that is not released, and draw the rows of those that were fitted', async () => {
    const request = generateRequestSchema.parse({
      job_id: 'job',
      target_col: 'y',
      family: 'gaussian',
      draws: 100,
      tune: 100,
      continuous_cols: ['x'],
      categorical_cols: ['city', 'pet'],
    });
    const { plan, table } = makePlan(await profileOf(RARE), await tableOf(RARE), request);
    const progress = { onProgress: silent, yieldToEventLoop: silent };
    const models = await fitModels({ plan, table, random: createStream(1, 'fit'), progress });
    const saved = saveModels({ seed: 1, plan, models }) ?? '';
    expect(saved).toContain('oslo');
    expect(saved).not.toMatch(/Zanzibar|quokka/);
    const drawn = (all: typeof models) =>
      generateTable({ plan, models: all, rows: 150, random: createStream(3, 's'), progress });
    const [first, again] = [await drawn(models), await drawn(restoreModels(saved, 'job', plan, undefined).models)];
    expect([...again.columns.keys()].sort()).toEqual(['city', 'pet', 'x', 'y']);
    for (const [name, column] of first.columns) {
      const other = again.columns.get(name);
      expect(cellsOf(other)).toEqual(cellsOf(column));
    }
  });

  test('are not kept where they are too large', async () => {
    const { plan, models } = await fitted();
    expect(saveModels({ seed: 1, plan, models }, 1000)).toBeNull();
  });
});
