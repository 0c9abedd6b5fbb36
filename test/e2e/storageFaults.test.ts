/** A full disk and a folder that cannot be written: the service says so, stays up, and goes on when it can. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { storageError } from '../../adapters/local/storageErrors.ts';
import { createApp } from '../../api/app.ts';
import { type LiveServer, startServer } from '../support/liveServer.ts';
import { localService } from '../support/localService.ts';
import { makeSmallDisk, type SmallDisk } from '../support/smallDisk.ts';
import { housesCsv } from '../support/tables.ts';
import { makeFolder } from '../support/temporaryFolder.ts';
import { makeUnwritable } from '../support/unwritable.ts';

const answerSchema = z.object({
  data: z.looseObject({ job_id: z.string().optional(), status: z.string().optional() }).nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
type Answer = z.infer<typeof answerSchema> & { status: number };
type Send = (method: string, path: string, body?: FormData | object) => Promise<Answer>;
type Fetch = (path: string, init: RequestInit) => Response | Promise<Response>;

const client = (key: string, fetchAt: Fetch): Send => {
  return async (method, path, body) => {
    const json = body !== undefined && !(body instanceof FormData);
    const headers = { 'X-API-Key': key, ...(json && { 'Content-Type': 'application/json' }) };
    const sent = body instanceof FormData ? body : JSON.stringify(body);
    const answer = await fetchAt(path, { method, headers, ...(body !== undefined && { body: sent }) });
    return { status: answer.status, ...answerSchema.parse(await answer.json()) };
  };
};

const clientOf = ({ url, key }: LiveServer): Send => client(key ?? '', (path, init) => fetch(url + path, init));

function table(rows: number): FormData {
  const form = new FormData();
  form.set('file', new Blob([housesCsv(rows)]), 'houses.csv');
  return form;
}

const REQUEST = { target_col: 'price', continuous_cols: ['area'], n_samples: 50, draws: 100, tune: 100 };

async function serverOn(folder: string): Promise<LiveServer> {
  const server = await startServer({}, folder);
  onTestFinished(async () => void (await server.stop()));
  return server;
}

async function endOf(send: Send, jobId: string): Promise<Answer> {
  for (;;) {
    const answer = await send('GET', `/status/${jobId}`);
    if (['done', 'failed'].includes(answer.data?.status ?? '')) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Everything that writes is refused with this error; what only reads still answers; nothing of an upload is left. */
async function expectRefused(send: Send, code: string, status: number, folder: string): Promise<void> {
  const before = readdirSync(join(folder, 'objects'), { recursive: true });
  const refused = await send('POST', '/upload', table(2000));
  expect([refused.status, refused.error?.code, refused.data]).toEqual([status, code, null]);
  expect(refused.error?.message).not.toContain(folder);
  expect((await send('GET', '/health')).status).toBe(200);
  expect(readdirSync(join(folder, 'objects'), { recursive: true })).toEqual(before);
}

describe('a full disk', () => {
  const disk: SmallDisk = makeSmallDisk(4);

  it('is told to whoever writes, and the service goes on when there is room', async () => {
    onTestFinished(() => disk.remove());
    if (!disk.mounted) return playedFullDisk();
    const send = clientOf(await serverOn(disk.path));
    const { data } = await send('POST', '/upload', table(60));
    const jobId = data?.job_id ?? '';
    disk.fill();
    await expectRefused(send, 'storage_full', 507, disk.path);
    expect((await send('GET', `/status/${jobId}`)).data).toMatchObject({ status: 'uploaded' });
    disk.free();
    expect((await send('POST', '/generate', { job_id: jobId, ...REQUEST })).status).toBe(200);
    expect((await endOf(send, jobId)).data?.status).toBe('done');
  });

  /** Where this user may not mount: the disk's answer, given by the object store. */
  async function playedFullDisk(): Promise<void> {
    const service = localService();
    onTestFinished(() => service.close());
    const { key } = await service.keys.create('test', []);
    const put = service.objects.put.bind(service.objects);
    let full = true;
    service.objects.put = async (objectKey, body) => {
      if (full) throw storageError(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
      return put(objectKey, body);
    };
    const app = createApp({ ...service, settings: { ...service.settings, maxUploadBytes: 1e6 } }, { corsOrigins: [] });
    const send = client(key, (path, init) => app.fetch(new Request(`http://localhost${path}`, init)));
    expect((await send('POST', '/upload', table(60))).error?.code).toBe('storage_full');
    expect((await send('GET', '/health')).status).toBe(200);
    full = false;
    expect((await send('POST', '/upload', table(60))).status).toBe(200);
  }
});

describe('a folder that cannot be written', () => {
  it('is told to whoever writes, and the service goes on when it can', async () => {
    const folder = makeFolder();
    onTestFinished(() => folder.remove());
    const send = clientOf(await serverOn(folder.path));
    const { data } = await send('POST', '/upload', table(60));
    const jobId = data?.job_id ?? '';
    const giveBack = makeUnwritable(join(folder.path, 'tmp'));
    try {
      await expectRefused(send, 'storage_unavailable', 503, folder.path);
      expect((await send('POST', '/generate', { job_id: jobId, ...REQUEST })).status).toBe(200);
      expect((await endOf(send, jobId)).data).toMatchObject({
        status: 'failed',
        error: { code: 'storage_unavailable', message: expect.stringContaining('POST /generate again') },
      });
    } finally {
      giveBack();
    }
    expect((await send('POST', '/generate', { job_id: jobId, ...REQUEST })).status).toBe(200);
    expect((await endOf(send, jobId)).data?.status).toBe('done');
  });
});
