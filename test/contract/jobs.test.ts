import { describe, expect, it } from 'vitest';
import { eraseReplySchema, jobsReplySchema, statusReplySchema } from '../../packages/contract/replies.ts';
import { useDeployment, verdict } from '../support/contract.ts';
import { housesCsv } from '../support/tables.ts';

const service = useDeployment();

const UNKNOWN = [
  'nobody',
  '..',
  '%2e%2e%2fupload',
  '__proto__',
  'constructor',
  '%00',
  '%E0%A4%A',
  '🦒',
  'x'.repeat(8000),
];
const PATHS: [method: string, path: (id: string) => string][] = [
  ['GET', (id) => `/status/${id}`],
  ['GET', (id) => `/download/${id}`],
  ['DELETE', (id) => `/jobs/${id}`],
  ['POST', (id) => `/jobs/${id}/cancel`],
];

describe('a job in a path', () => {
  it.each(PATHS)('%s answers 404 invalid_job where it is unknown', async (method, path) => {
    for (const id of UNKNOWN.filter((odd) => odd !== '..')) {
      expect(verdict(await service.send(method, path(id))), id).toEqual([404, 'invalid_job']);
    }
  });
});

describe('GET /jobs', () => {
  it('lists the jobs of the key, the newest first, a page at a time', async () => {
    const ids = [
      await service.newJob(housesCsv()),
      await service.newJob(housesCsv()),
      await service.newJob(housesCsv()),
    ];
    const list = async (query = '') =>
      jobsReplySchema.strict().parse((await service.send('GET', `/jobs${query}`)).data);
    await expect.poll(async () => (await list('?limit=3')).jobs.map(({ job_id }) => job_id)).toEqual(ids.toReversed());
    const first = await list('?limit=2');
    expect(first.jobs[0]).toMatchObject({ status: 'uploaded', started_at: null, progress: null, error: null });
    const second = await list(`?limit=2&after=${first.next}`);
    expect(second.jobs[0]?.job_id).toBe(ids[0]);
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'after=x', 'after=%F0%9F%90%A7'])('refuses ?%s', async (query) => {
    expect(verdict(await service.send('GET', `/jobs?${query}`))).toEqual([400, 'invalid_parameter']);
  });
});

describe('GET /status', () => {
  it('shows an uploaded job without metrics or error', async () => {
    const id = await service.newJob(housesCsv());
    const { data } = await service.send('GET', `/status/${id}`);
    expect(data).toMatchObject({ job_id: id, status: 'uploaded', progress: [], events: [], error: null });
    expect(data).not.toHaveProperty('metrics');
  });
});

describe('GET /download', () => {
  it('has no result before the job is done', async () => {
    const id = await service.newJob(housesCsv());
    const reply = await service.send('GET', `/download/${id}`);
    expect(verdict(reply)).toEqual([404, 'no_result']);
    expect(reply.error?.message).toContain('/generate');
  });
});

describe('DELETE /jobs/<job_id>', () => {
  it('leaves nothing of a job', async () => {
    const before = await service.traces();
    const id = await service.newJob(housesCsv());
    const reply = await service.send('DELETE', `/jobs/${id}`);
    expect(eraseReplySchema.strict().parse(reply.data)).toEqual({ job_id: id, status: 'erased' });
    expect(verdict(await service.send('GET', `/status/${id}`))).toEqual([404, 'invalid_job']);
    expect(verdict(await service.send('DELETE', `/jobs/${id}`))).toEqual([404, 'invalid_job']);
    expect(verdict(await service.post('/generate', { job_id: id, text_cols: ['note'] }))).toEqual([400, 'invalid_job']);
    expect(await service.traces()).toEqual(before);
  });

  it('ends a running job, leaves nothing of it and frees its place', async () => {
    const before = await service.traces();
    const id = await service.newJob(housesCsv(400));
    await service.post('/generate', { job_id: id, target_col: 'price', text_cols: ['note'], n_samples: 200_000 });
    expect((await service.send('DELETE', `/jobs/${id}`)).status).toBe(200);
    expect(await service.traces()).toEqual(before);
    expect((await service.send('GET', '/health')).data).toMatchObject({ active_jobs: 0 });
  });
});

describe('POST /jobs/<job_id>/cancel', () => {
  it('refuses a job that is not running', async () => {
    const id = await service.newJob(housesCsv());
    expect(verdict(await service.send('POST', `/jobs/${id}/cancel`))).toEqual([409, 'job_conflict']);
  });

  it('ends a running job as failed, after which it may be sent again', async () => {
    const id = await service.newJob(housesCsv(400));
    const request = { job_id: id, target_col: 'price', text_cols: ['note'] };
    await service.post('/generate', { ...request, n_samples: 200_000 });
    const reply = await service.send('POST', `/jobs/${id}/cancel`);
    expect(statusReplySchema.parse(reply.data)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
    const short = { job_id: id, target_col: 'price', n_samples: 10, draws: 100, tune: 100 };
    expect((await service.post('/generate', short)).status).toBe(200);
    expect((await service.end(id)).status).toBe('done');
  });
});
