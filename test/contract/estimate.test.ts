import { beforeAll, describe, expect, it } from 'vitest';
import { estimateReplySchema, statusReplySchema } from '../../packages/contract/replies.ts';
import { useDeployment, verdict } from '../support/contract.ts';
import { housesCsv } from '../support/tables.ts';

const service = useDeployment();
const ROLES = { target_col: 'price', continuous_cols: ['area', 'rooms'], categorical_cols: ['city'] };
let job = '';
beforeAll(async () => {
  job = await service.newJob(housesCsv(600));
});

const estimate = async (fields: object) =>
  estimateReplySchema.parse((await service.post('/estimate', { job_id: job, ...ROLES, ...fields })).data);

describe('POST /estimate', () => {
  it('says what the job would take, what takes it, and starts nothing', async () => {
    const before = await service.traces();
    const { seconds, cpu_seconds, memory_mb, stages } = await estimate({ text_cols: ['note'] });
    expect(seconds.low).toBeLessThan(seconds.expected);
    expect(seconds.high).toBeGreaterThan(seconds.expected);
    expect(cpu_seconds.expected).toBeGreaterThanOrEqual(seconds.expected);
    expect(memory_mb).toBeGreaterThan(100);
    expect(stages.map(({ stage }) => stage)).toEqual([
      'start',
      'categories',
      'numbers',
      'target',
      'text',
      'metrics',
      'write',
    ]);
    const status = await service.send('GET', `/status/${job}`);
    expect(statusReplySchema.parse(status.data)).toMatchObject({ status: 'uploaded', progress: [] });
    expect(await service.traces()).toEqual(before);
  });

  it('offers a cheaper plan that, sent as it is, takes what it says', async () => {
    const dear = { n_samples: 200_000, draws: 8000, family: 'student_t' };
    const { seconds, cheaper } = await estimate(dear);
    expect(cheaper?.seconds.expected).toBeLessThan(0.8 * seconds.expected);
    expect(cheaper?.tradeoffs.length).toBeGreaterThan(0);
    const sent = await estimate({ ...dear, ...cheaper?.fields });
    expect(sent.seconds).toEqual(cheaper?.seconds);
  });

  it('names unknown fields', async () => {
    expect((await estimate({ epochs: 3 })).warnings?.join()).toContain('"epochs"');
  });

  it.each<[title: string, fields: object, code: string]>([
    ['an unknown job', { job_id: 'nobody' }, 'invalid_job'],
    ['no target and no text', { target_col: null }, 'missing_target'],
    ['an unknown column', { continuous_cols: ['roms'] }, 'column_not_found'],
    ['draws out of bounds', { draws: 99 }, 'invalid_parameter'],
    ['a sampler of another word', { sampler: 'hmc' }, 'invalid_parameter'],
    ['a bare target where there is none', { target_col: null, target: 'none', calibrate: false }, 'invalid_parameter'],
    ['a column in two roles', { categorical_cols: ['area'] }, 'invalid_parameter'],
    ['a family that cannot hold the target', { family: 'poisson' }, 'invalid_parameter'],
  ])('refuses %s as POST /generate does', async (_title, fields, code) => {
    const body = { job_id: job, ...ROLES, ...fields };
    const reply = await service.post('/estimate', body);
    expect(verdict(reply)).toEqual([400, code]);
    const started = await service.post('/generate', body);
    expect(reply.error).toEqual(started.error);
  });
});
