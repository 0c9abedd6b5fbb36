import { describe, expect, test } from 'vitest';
import { modelKey } from '../../../domain/job/objectKeys.ts';
import { generateRequestSchema } from '../../../domain/schema/generateRequest.ts';
import type { OpenTextResources } from '../../../gpu-job/models/model.ts';
import { fitModels } from '../../../gpu-job/pipeline/fit.ts';
import { makePlan } from '../../../gpu-job/pipeline/plan.ts';
import { readModels, writeModels } from '../../../gpu-job/pipeline/savedModels.ts';
import { openEngine } from '../../../gpu-job/tensor/engines/openEngine.ts';
import { createStream } from '../../../numerics/random/createStream.ts';
import { SOFTWARE } from '../../support/jobFixtures.ts';
import { memoryService } from '../../support/memoryService.ts';
import { silent } from '../models/tables.ts';
import { profileOf, tableOf } from './world.ts';

const WORDS = ['river', 'stone', 'bright', 'cold', 'garden', 'narrow', 'quiet', 'seven', 'lamp', 'orchard'];
const random = createStream(2, 'notes');
const csv = `kind,note\n${Array.from({ length: 80 }, (_, i) => `${'ab'[i % 2]},${Array.from({ length: 8 }, () => WORDS[random.integer(10)]).join(' ')}`).join('\n')}\n`;
const openCpu: OpenTextResources = async () => ({ engine: await openEngine('cpu'), base: null, baseProblem: null });
const SOURCE = { job_id: 'job', attempt: 1 };

async function fitted() {
  const request = generateRequestSchema.parse({
    ...{ job_id: 'job', categorical_cols: ['kind'], text_cols: ['note'], text_epochs: 1 },
  });
  const { plan, table } = makePlan(await profileOf(csv), await tableOf(csv), request);
  const task = { report: silent, breathe: silent };
  return { plan, models: await fitModels(plan, table, createStream(1, 'fit'), task, openCpu) };
}

describe('saved models', () => {
  test('write what the fitted ones write, a language model on an engine of its own among them', async () => {
    const { plan, models } = await fitted();
    const { objects, files } = memoryService();
    const run = { objects, jobId: 'job', attempt: 1, software: SOFTWARE };
    expect(await writeModels(run, { seed: 1, plan, models })).toEqual([]);
    expect(new TextDecoder().decode(files.get(modelKey('job', 1)))).toContain('"network":{');
    const restored = await readModels(objects, SOURCE, plan, openCpu);
    expect(restored.map(({ role }) => role)).toEqual(models.map(({ role }) => role));
    const kinds = { kind: 'category' as const, name: 'kind', codes: new Int32Array(12), levels: ['a', 'b'] };
    const made = { rows: 12, columns: new Map([['kind', kinds]]) };
    const write = (all: typeof models) =>
      all
        .find(({ role }) => role === 'text')
        ?.fitted.sample({ rows: 12, made, random: createStream(3, 's'), report: silent });
    expect(await write(restored)).toEqual(await write(models));
  });

  test('are not kept where they are too large, which a note says', async () => {
    const { plan, models } = await fitted();
    const { objects, files } = memoryService();
    const run = { objects, jobId: 'job', attempt: 1, software: SOFTWARE };
    expect(await writeModels(run, { seed: 1, plan, models }, 1000)).toEqual([expect.stringMatching(/too large/)]);
    expect(files.has(modelKey('job', 1))).toBe(false);
  });
});
