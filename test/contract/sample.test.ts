import { describe, expect, it } from 'vitest';
import { jobsReplySchema, sampleReplySchema } from '../../packages/contract/replies.ts';
import { useDeployment, verdict } from '../support/contract.ts';
import { housesCsv } from '../support/tables.ts';

const service = useDeployment();

const REQUEST = {
  target_col: 'price',
  continuous_cols: ['area', 'rooms'],
  categorical_cols: ['city'],
  n_samples: 50,
  draws: 100,
  tune: 100,
  seed: 7,
};

async function finished(more: object = {}): Promise<string> {
  const id = await service.newJob(housesCsv());
  expect((await service.post('/generate', { job_id: id, ...REQUEST, ...more })).status).toBe(200);
  expect(await service.end(id)).toMatchObject({ status: 'done' });
  return id;
}

async function drawn(source: string, body: object): Promise<{ id: string; text: string }> {
  const reply = await service.post(`/sample/${source}`, body);
  expect([reply.status, reply.error]).toEqual([200, null]);
  const { job_id: id, sample_of } = sampleReplySchema.parse(reply.data);
  expect([sample_of, id === source]).toEqual([source, false]);
  expect(await service.end(id)).toMatchObject({ status: 'done', sample_of: source, error: null });
  return { id, text: (await service.send('GET', `/download/${id}`)).text };
}

/** A job that tests look at and leave as it is. */
let kept: Promise<string> | undefined;
const anyFinished = (): Promise<string> => (kept ??= finished());

const outcome = async (path: string, body: object) => verdict(await service.post(path, body));

describe('POST /sample', () => {
  it('draws more rows of a finished job, as a job of its own that goes with the first', async () => {
    const source = await finished();
    const before = await service.send('GET', `/download/${source}`);
    const { id, text } = await drawn(source, { rows: 80, seed: 3 });
    const [header, ...rows] = text.trimEnd().split('\n');
    expect([header, rows.length]).toEqual(['price,area,rooms,city', 80]);
    expect(rows.filter((row) => before.text.includes(`\n${row}\n`))).toEqual([]);
    for (const row of rows) expect(row).toMatch(/^-?\d+\.\d\d,(\d+\.\d)?,\d,(Bergen|Oslo|Tromsø)$/);
    expect((await service.send('GET', `/download/${source}`)).text).toBe(before.text);

    expect((await drawn(source, { rows: 80, seed: 3 })).text).toBe(text);
    const oslo = await drawn(source, { rows: 20, conditions: [{ column: 'city', equals: 'Oslo' }] });
    expect(oslo.text.match(/,Oslo\n/g)).toHaveLength(20);
    expect((await service.send('GET', `/report/${id}`)).status).toBe(200);
    expect((await service.send('GET', `/receipt/${id}`)).data).toMatchObject({
      manifest: { request: { sample_of: { job_id: source }, n_samples: 80, seed: 3 } },
    });
    const { jobs } = jobsReplySchema.parse((await service.send('GET', '/jobs')).data);
    expect(jobs.find(({ job_id }) => job_id === id)).toMatchObject({ sample_of: source, rows_generated: 80 });
    expect(jobs.find(({ job_id }) => job_id === source)).not.toHaveProperty('sample_of');

    expect(await outcome(`/sample/${id}`, { rows: 5 })).toEqual([409, 'job_conflict']);
    const again = await service.post('/generate', { job_id: id, ...REQUEST });
    expect([verdict(again), again.error?.message]).toEqual([
      [409, 'job_conflict'],
      expect.stringContaining(`POST /sample/${source}`),
    ]);
    expect((await service.send('DELETE', `/jobs/${source}`)).status).toBe(200);
    expect(await outcome(`/sample/${source}`, { rows: 5 })).toEqual([404, 'invalid_job']);
    for (const gone of [source, id, oslo.id]) {
      expect(verdict(await service.send('GET', `/status/${gone}`))).toEqual([404, 'invalid_job']);
      expect(verdict(await service.send('GET', `/download/${gone}`))).toEqual([404, 'invalid_job']);
    }
  });

  it('is refused for a job that is unknown, not started or failed, and where a field is wrong', async () => {
    const id = await service.newJob(housesCsv());
    const before = await service.traces();
    expect(await outcome('/sample/nobody', { rows: 5 })).toEqual([404, 'invalid_job']);
    expect(await outcome(`/sample/${id}`, { rows: 5 })).toEqual([404, 'no_result']);
    expect(await outcome(`/sample/${id}`, { rows: 0 })).toEqual([400, 'invalid_parameter']);
    expect(await outcome(`/sample/${id}`, { rows: 1_000_001 })).toEqual([400, 'invalid_parameter']);
    expect(await outcome(`/sample/${id}`, { rows: 5, seed: -1 })).toEqual([400, 'invalid_parameter']);
    expect(await outcome(`/sample/${id}`, [])).toEqual([400, 'invalid_request']);
    expect(await service.traces()).toEqual(before);
  });

  it('refuses conditions that no row can meet, and leaves nothing of it', async () => {
    const source = await anyFinished();
    const before = await service.traces();
    const where = (column: string, equals: string) => ({ rows: 5, conditions: [{ column, equals }] });
    expect(await outcome(`/sample/${source}`, where('town', 'Oslo'))).toEqual([400, 'column_not_found']);
    expect(await outcome(`/sample/${source}`, where('city', 'Paris'))).toEqual([400, 'invalid_parameter']);
    expect(await service.traces()).toEqual(before);
  });

  it('draws once however often a request with a name comes', async () => {
    const source = await anyFinished();
    const headers = { 'Idempotency-Key': `sample-of-${source}` };
    const send = () => service.post(`/sample/${source}`, { rows: 5 }, { headers });
    const [first, again] = [await send(), await send()];
    expect([again.data, again.headers.get('Idempotent-Replayed')]).toEqual([first.data, 'true']);
    expect(await service.end(sampleReplySchema.parse(first.data).job_id)).toMatchObject({ status: 'done' });
  });

  it('passes the release policy of its job anew', async () => {
    const withheld = await finished({ policy: { max_nearest_train_share_lower: 0 } });
    expect(await outcome(`/sample/${withheld}`, { rows: 5 })).toEqual([403, 'withheld']);
    expect((await service.send('POST', `/jobs/${withheld}/release`)).status).toBe(200);
    const reply = await service.post(`/sample/${withheld}`, { rows: 30 });
    const { job_id } = sampleReplySchema.parse(reply.data);
    expect(await service.end(job_id)).toMatchObject({ status: 'done', release: 'withheld' });
    expect(verdict(await service.send('GET', `/download/${job_id}`))).toEqual([403, 'withheld']);
  });
});
