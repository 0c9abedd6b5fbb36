import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { uploadReplySchema } from '../../packages/contract/replies.ts';
import { type Reply, useDeployment, verdict } from '../support/contract.ts';
import { filePart, MULTIPART, multipart } from '../support/multipart.ts';
import { housesCsv } from '../support/tables.ts';

const service = useDeployment();

const named = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const upload = (key: string, content: string, name = 'table.csv'): Promise<Reply> =>
  service.send('POST', '/upload', {
    body: multipart([filePart(content, name)]),
    headers: { 'Content-Type': MULTIPART, 'Idempotency-Key': key },
  });

describe('POST /upload with an Idempotency-Key', () => {
  it('makes one job of the same file sent twice, and answers the same', async () => {
    const key = randomUUID();
    const first = await upload(key, housesCsv(60));
    expect([first.status, first.headers.get('Idempotent-Replayed')]).toEqual([200, null]);
    const traces = await service.traces();
    const again = await upload(key, housesCsv(60));
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await service.traces()).toEqual(traces);
  });

  it('makes one job of the same file sent several times at once', async () => {
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 4 }, () => upload(key, housesCsv(2000))));
    const answered = replies.filter(({ status }) => status === 200);
    const inProgress = replies.filter(({ status }) => status !== 200);
    expect(new Set(answered.map(({ text }) => text)).size).toBe(1);
    for (const reply of inProgress) {
      expect(verdict(reply)).toEqual([409, 'request_in_progress']);
      expect(Number(reply.headers.get('Retry-After'))).toBeGreaterThan(0);
    }
    expect((await upload(key, housesCsv(2000))).text).toBe(answered[0]?.text);
  });

  it('refuses another file, or the same under another name, and makes nothing', async () => {
    const key = randomUUID();
    await upload(key, housesCsv(60));
    const traces = await service.traces();
    expect(verdict(await upload(key, housesCsv(61)))).toEqual([422, 'idempotency_key_reused']);
    const renamed = await upload(key, housesCsv(60), 'other.csv');
    expect(verdict(renamed)).toEqual([422, 'idempotency_key_reused']);
    expect(renamed.error?.message).toContain('new key');
    expect(await service.traces()).toEqual(traces);
  });

  it('forgets a file that was refused: the key can be used for a better one', async () => {
    const key = randomUUID();
    expect(verdict(await upload(key, 'a,b\n'))).toEqual([400, 'no_data_rows']);
    expect((await upload(key, housesCsv(60))).status).toBe(200);
  });

  it('says so where the job has been erased since', async () => {
    const key = randomUUID();
    const { job_id } = uploadReplySchema.parse((await upload(key, housesCsv(60))).data);
    await service.send('DELETE', `/jobs/${job_id}`);
    const reply = await upload(key, housesCsv(60));
    expect([...verdict(reply), reply.error?.message]).toEqual([
      422,
      'idempotency_key_reused',
      expect.stringContaining('erased'),
    ]);
  });

  it.each([
    ['a blank', 'two words'],
    ['more than 200 characters', 'k'.repeat(201)],
    ['nothing', ''],
  ])('refuses a key of %s', async (_title, key) => {
    expect(verdict(await upload(key, housesCsv(60)))).toEqual([400, 'invalid_request']);
  });
});

describe('POST /jobs/<job_id>/repeat with an Idempotency-Key', () => {
  it('makes one job on the same file, and answers the same until that is erased', async () => {
    const first = await upload(randomUUID(), housesCsv(60));
    const { job_id, ...found } = uploadReplySchema.parse(first.data);
    const repeat = (key: string) => service.send('POST', `/jobs/${job_id}/repeat`, named(key));
    const key = randomUUID();
    const made = await repeat(key);
    const { job_id: madeId, ...again } = uploadReplySchema.parse(made.data);
    expect([made.status, again]).toEqual([201, found]);
    expect(madeId).not.toBe(job_id);
    const replayed = await repeat(key);
    expect([replayed.status, replayed.text]).toEqual([201, made.text]);
    await service.send('DELETE', `/jobs/${madeId}`);
    expect(verdict(await repeat(key))).toEqual([422, 'idempotency_key_reused']);
    expect(verdict(await service.send('POST', '/jobs/nobody/repeat'))).toEqual([404, 'invalid_job']);
  });
});

describe('POST /generate with an Idempotency-Key', () => {
  const request = (job_id: string) => ({ job_id, target_col: 'price', n_samples: 5, draws: 100, tune: 100, odd: 1 });

  it('starts a job once, and answers as the first time while it runs and when it is done', async () => {
    const id = await service.newJob(housesCsv(60));
    const key = randomUUID();
    const first = await service.post('/generate', request(id), named(key));
    expect(first.status).toBe(200);
    expect((await service.post('/generate', request(id), named(key))).text).toBe(first.text);
    await service.end(id);
    const late = await service.post('/generate', request(id), named(key));
    expect([late.status, late.text, late.headers.get('Idempotent-Replayed')]).toEqual([200, first.text, 'true']);
    const other = await service.post('/generate', { ...request(id), n_samples: 6 }, named(key));
    expect(verdict(other)).toEqual([422, 'idempotency_key_reused']);
    expect(verdict(await service.post('/generate', request(id), named(randomUUID())))).toEqual([409, 'job_conflict']);
  });

  it('does not keep a refusal', async () => {
    const id = await service.newJob(housesCsv(60));
    const key = randomUUID();
    const wrong = await service.post('/generate', { ...request(id), target_col: 'prise' }, named(key));
    expect(verdict(wrong)).toEqual([400, 'column_not_found']);
    expect((await service.post('/generate', request(id), named(key))).status).toBe(200);
    await service.end(id);
  });

  it('tells routes apart', async () => {
    const key = randomUUID();
    await upload(key, housesCsv(60));
    const id = await service.newJob(housesCsv(60));
    const reply = await service.post('/generate', request(id), named(key));
    expect(verdict(reply)).toEqual([422, 'idempotency_key_reused']);
  });
});
