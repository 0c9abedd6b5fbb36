import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { verifyReceipt } from '../../cli/verifyReceipt.ts';
import { receiptKeySchema, receiptSchema } from '../../packages/contract/receipt.ts';
import { statusReplySchema } from '../../packages/contract/replies.ts';
import { reportSchema } from '../../packages/contract/report.ts';
import { useDeployment, verdict } from '../support/contract.ts';
import { housesCsv } from '../support/tables.ts';

const service = useDeployment();

const ROLES = {
  target_col: 'price',
  continuous_cols: ['area', 'rooms'],
  categorical_cols: ['city'],
  text_cols: ['note'],
  n_samples: 50,
  draws: 100,
  tune: 100,
  text_epochs: 1,
  seed: 7,
};

async function finished(more: object = {}): Promise<string> {
  const id = await service.newJob(housesCsv());
  const started = await service.post('/generate', { job_id: id, ...ROLES, ...more });
  expect([started.status, started.error]).toEqual([200, null]);
  expect(await service.end(id)).toMatchObject({ status: 'done' });
  return id;
}

describe('a finished job', () => {
  it('has a report as a page and as data, and a receipt of the very file that is downloaded', async () => {
    const id = await finished();
    const status = await service.status(id);
    expect([status.release, status.metrics?.release]).toEqual(['open', null]);

    const page = await service.send('GET', `/report/${id}`);
    expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(page.text).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
    expect(page.text).not.toMatch(/<script|https?:|\bsrc=|url\(/);
    const data = reportSchema.parse((await service.send('GET', `/report/${id}.json`)).data);
    expect([data.job_id, data.metrics]).toEqual([id, status.metrics]);
    expect(data.text_samples?.[0]).toMatchObject({ column: 'note' });

    const table = await service.send('GET', `/download/${id}`);
    const receipt = await service.send('GET', `/receipt/${id}`);
    const { manifest } = receiptSchema.parse(receipt.data);
    const { key_id: key } = receiptKeySchema.parse((await service.send('GET', '/receipt-key', { key: null })).data);
    const bytes = Buffer.from(table.text);
    const file = { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    const salt = Buffer.from(status.input_salt ?? '', 'hex');
    const commitment = createHash('sha256').update(salt).update(housesCsv()).digest('hex');
    const input = { bytes: 0, sha256: '', commitment };
    expect(salt).toHaveLength(32);
    expect(verifyReceipt({ receipt: receipt.text, file, key, input }).faults).toEqual([]);
    expect(receipt.text).not.toContain(status.input_salt);
    const { commitment: input_commitment } = z.object({ commitment: z.string() }).parse(manifest.input);
    const [output_sha256, output_bytes] = [file.sha256, file.bytes];
    const { identity } = reportSchema.parse((await service.send('GET', `/report/${id}.json`)).data);
    expect(identity).toEqual({ input_commitment, output_sha256, output_bytes, receipt_key_id: key });
    const { text: named } = await service.send('GET', `/report/${id}`);
    for (const said of [id, input_commitment, output_sha256, key]) expect(named).toContain(`<code>${said}</code>`);
    expect(manifest).toMatchObject({ job_id: id, request: ROLES, metrics: status.metrics });
    expect((await service.send('GET', `/receipt/${id}`)).text).toBe(receipt.text);
  });
});

describe('a job that is not done', () => {
  it.each(['/report/:id', '/report/:id.json', '/receipt/:id'])('has nothing at GET %s', async (path) => {
    const id = await service.newJob(housesCsv());
    expect(verdict(await service.send('GET', path.replace(':id', id)))).toEqual([404, 'no_result']);
    expect(verdict(await service.send('GET', path.replace(':id', 'nobody')))).toEqual([404, 'invalid_job']);
  });

  it('cannot be released', async () => {
    const id = await service.newJob(housesCsv());
    expect(verdict(await service.send('POST', `/jobs/${id}/release`))).toEqual([409, 'job_conflict']);
    expect(verdict(await service.send('POST', '/jobs/nobody/release'))).toEqual([404, 'invalid_job']);
  });
});

describe('a release policy', () => {
  it('withholds the rows, and the texts in the report, until the owner releases them', async () => {
    const id = await finished({ policy: { max_nearest_train_share_lower: 0 } });
    const status = await service.status(id);
    expect([status.release, status.metrics?.release?.outcome]).toEqual(['withheld', 'withheld']);
    const refused = await service.send('GET', `/download/${id}`);
    expect(verdict(refused)).toEqual([403, 'withheld']);
    expect(refused.error?.message).toContain(status.metrics?.release?.reasons[0]);
    expect((await service.send('HEAD', `/download/${id}`)).status).toBe(403);
    const data = async () => reportSchema.parse((await service.send('GET', `/report/${id}.json`)).data);
    expect((await data()).text_samples).toBeNull();
    expect((await service.send('GET', `/report/${id}`)).text).not.toContain('<blockquote>');

    for (const _ of ['once', 'twice']) {
      const released = await service.send('POST', `/jobs/${id}/release`);
      expect(statusReplySchema.parse(released.data).release).toBe('released');
    }
    expect((await service.send('GET', `/download/${id}`)).status).toBe(200);
    expect((await data()).text_samples?.[0]?.texts.length).toBeGreaterThan(0);
    expect((await service.send('GET', `/report/${id}`)).text).toContain('<blockquote>');
  });

  it('is not asked where the table has few rows: refused, or on request withheld', async () => {
    const id = await service.newJob('price,city\n1,Oslo\n2,Rome\n3,Oslo\n4,Rome\n');
    const asked = { job_id: id, target_col: 'price', categorical_cols: ['city'], n_samples: 4, draws: 100, tune: 100 };
    for (const path of ['/estimate', '/generate']) {
      const refused = await service.post(path, asked);
      expect(verdict(refused)).toEqual([400, 'too_few_rows']);
      expect(refused.error?.message).toMatch(/^The table has 4 rows: .*fewer than 50.*allow_few_rows: true; the rows/);
    }
    const started = await service.post('/generate', { ...asked, allow_few_rows: true });
    expect([started.status, started.error]).toEqual([200, null]);
    expect(await service.end(id)).toMatchObject({ status: 'done', release: 'withheld' });
    expect(verdict(await service.send('GET', `/download/${id}`))).toEqual([403, 'withheld']);
    expect((await service.send('POST', `/jobs/${id}/release`)).status).toBe(200);
    expect((await service.send('GET', `/download/${id}`)).text.trim().split('\n')).toHaveLength(5);
  });

  it('leaves a job open that has none to release', async () => {
    const id = await finished({ text_cols: [], policy: { exact_copies: 50 } });
    expect(statusReplySchema.parse((await service.send('POST', `/jobs/${id}/release`)).data)).toMatchObject({
      release: 'open',
      metrics: { release: { outcome: 'passed', found: { exact_copies: 0 } } },
    });
  });

  it.each([
    [{ policy: 'strict' }, /^policy must be an object/],
    [{ policy: { exact_copies: -1 } }, /^policy\.exact_copies must be a whole number of rows, 0 or more; found -1/],
    [{ policy: { verbatim_text: 0.5 } }, /^policy\.verbatim_text must be a whole number/],
    [{ policy: { max_nearest_train_share_lower: 2 } }, /^policy\.max_nearest_train_share_lower must be a share/],
    [{ policy: { copies: 0 } }, /^policy has unknown fields \(copies\); known are/],
  ])('is refused where it is none: %j', async (more, why) => {
    const id = await service.newJob(housesCsv());
    const reply = await service.post('/generate', { job_id: id, ...ROLES, ...more });
    expect(verdict(reply)).toEqual([400, 'invalid_parameter']);
    expect(reply.error?.message).toMatch(why);
  });
});
