import { describe, expect, it } from 'vitest';
import {
  JobFailedError,
  RefusedError,
  roleFields,
  SyntheticTables,
  suggestedRoles,
} from '../../packages/client/index.ts';
import { useDeployment } from '../support/contract.ts';
import { housesCsv } from '../support/tables.ts';

const deployment = useDeployment();
const clientOf = (key = deployment.key) => new SyntheticTables({ url: deployment.url, key });
const SHORT = { n_samples: 30, draws: 100, tune: 100, text_epochs: 1, seed: 7 };

describe('the client', () => {
  it('goes the whole way: upload, columns, family, generate, wait, download, jobs, erase', async () => {
    const client = clientOf();
    expect((await client.health()).status).toBe('ok');
    const upload = await client.upload(housesCsv(60), 'houses.csv');
    const id = upload.job_id;
    expect(await client.columns(id)).toEqual(upload);
    expect((await client.detectFamily(id, 'price')).family).toMatch(/^\w+$/);
    const roles = roleFields(suggestedRoles(upload, 'price'));
    expect(roles.target_col).toBe('price');
    expect(await client.generate({ job_id: id, ...SHORT, ...roles })).toEqual({ status: 'started', job_id: id });
    const lines: string[] = [];
    const done = await client.wait(id, { onProgress: (_, more) => void lines.push(...more) });
    expect(lines).toEqual(done.progress);
    const { body, bytes } = await client.download(id);
    const text = await new Response(body).text();
    expect(text.split('\n')[0]).toBe(done.metrics.columns.join(','));
    // Not said where the body came compressed.
    expect([null, Buffer.byteLength(text)]).toContain(bytes);
    expect((await client.jobs({ limit: 1 })).jobs).toMatchObject([{ job_id: id, status: 'done' }]);
    expect(await client.erase(id)).toEqual({ job_id: id, status: 'erased' });
    await expect(client.columns(id)).rejects.toMatchObject({ code: 'invalid_job', status: 404 });
  });

  it('cancels a job, whose wait then fails', async () => {
    const client = clientOf();
    const { job_id } = await client.upload(housesCsv(400), 'houses.csv');
    await client.generate({ job_id, ...SHORT, target_col: 'price', n_samples: 200_000 });
    const waiting = client.wait(job_id).catch((error: unknown) => error);
    expect(await client.cancel(job_id)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
    expect(await waiting).toBeInstanceOf(JobFailedError);
    expect(await waiting).toMatchObject({ code: 'cancelled', jobId: job_id });
    await client.erase(job_id);
  });

  it('tells what the service refuses', async () => {
    await expect(clientOf('wrong').health()).rejects.toBeInstanceOf(RefusedError);
    await expect(clientOf('wrong').health()).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
    await expect(clientOf().upload('', 'empty.csv')).rejects.toMatchObject({ code: 'empty_file' });
    await expect(clientOf().download('nothing')).rejects.toMatchObject({ code: 'invalid_job', status: 404 });
  });
});
