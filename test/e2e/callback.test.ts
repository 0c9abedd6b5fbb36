/** A real server tells a real receiver of the ends of jobs; docs/webhooks.md's own example says whether it was this service. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RefusedError, SyntheticTables } from '../../packages/client/index.ts';
import { until } from '../ports/made.ts';
import { root } from '../support/imports.ts';
import { type LiveServer, startServer } from '../support/liveServer.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { housesCsv } from '../support/tables.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

const SHORT = { target_col: 'price', n_samples: 10, draws: 100, tune: 100, seed: 7 };
const messageSchema = z.object({ type: z.string(), data: z.object({ job_id: z.string(), status: z.string() }) });

let server: LiveServer;
let receiver: Receiver;
let client: SyntheticTables;
beforeAll(async () => {
  receiver = await startReceiver();
  server = await startServer({ CALLBACK_ADDRESSES: 'any' });
  client = new SyntheticTables({ url: server.url, key: server.key ?? '' });
});
afterAll(async () => {
  await server.stop();
  await receiver.close();
});

async function start(callback_url: string): Promise<string> {
  const { job_id } = await client.upload(housesCsv(60), 'houses.csv');
  await client.generate({ job_id, ...SHORT, callback_url });
  return job_id;
}

const callFor = (jobId: string): Promise<Received> =>
  until('the call', async () => receiver.received.find(({ body }) => body.includes(jobId)));

/** The program that docs/webhooks.md gives for checking a call: 0 where it says that the call is right. */
async function verify({ headers, body }: Received, secret: string): Promise<number> {
  const readme = readFileSync(join(root, 'docs', 'webhooks.md'), 'utf8');
  const [, program = ''] = /^```js verify\.mjs\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  expect(program).toContain('createHmac');
  const test = `${program}\nprocess.exitCode = isRight(JSON.parse(process.argv[1]), process.argv[2], process.argv[3]) ? 0 : 1;`;
  const args = ['--input-type=module', '-e', test, JSON.stringify(headers), body, secret];
  return promisify(execFile)(process.execPath, args).then(
    () => 0,
    (error: { code: number }) => error.code,
  );
}

describe('callback_url', () => {
  it('is told of the end of the job, signed so that docs/webhooks.md’s program finds it right, and nothing else right', async () => {
    receiver.answers = [204];
    const id = await start(receiver.url);
    await client.wait(id);
    const call = await callFor(id);
    expect(messageSchema.parse(JSON.parse(call.body))).toEqual({
      type: 'job.done',
      data: { job_id: id, status: 'done' },
    });
    const { secret } = await client.callbackSecret();
    expect(await verify(call, secret)).toBe(0);
    expect(await verify({ ...call, body: `${call.body} ` }, secret)).toBe(1);
    expect(await verify(call, `whsec_${Buffer.alloc(32).toString('base64')}`)).toBe(1);
    const old = { ...call.headers, 'webhook-timestamp': String(Number(call.headers['webhook-timestamp']) - 301) };
    expect(await verify({ ...call, headers: old }, secret)).toBe(1);
    const told = await until('the note', async () => {
      const { callback } = await client.status(id);
      return callback?.state === 'delivered' && callback;
    });
    expect(told).toEqual({ state: 'delivered', tries: 1, last_answer: 'answered 204', next_try_at: null });
  });

  it('costs a job nothing where nobody listens, and GET /status says what was met and when it is tried again', async () => {
    receiver.answers = [503];
    const id = await start(receiver.url);
    expect((await client.wait(id)).status).toBe('done');
    const told = await until('the first try', async () => {
      const { callback } = await client.status(id);
      return callback !== undefined && callback.last_answer !== null && callback;
    });
    expect(told).toMatchObject({ state: 'waiting', tries: 1, last_answer: 'answered 503' });
    expect(Date.parse(told.next_try_at ?? '')).toBeGreaterThan(Date.now());
    receiver.answers = [200];
    await until('the second try', async () => (await client.status(id)).callback?.state === 'delivered', 30_000);
    const calls = receiver.received.filter(({ body }) => body.includes(id));
    expect(new Set(calls.map(({ headers, body }) => headers['webhook-id'] + body)).size).toBe(1);
  }, 60_000);

  it('is told of a job that was cancelled, and stands in no receipt', async () => {
    receiver.answers = [204];
    const { job_id } = await client.upload(housesCsv(400), 'houses.csv');
    await client.generate({ job_id, ...SHORT, n_samples: 200_000, callback_url: receiver.url });
    await client.cancel(job_id);
    expect(JSON.parse((await callFor(job_id)).body)).toMatchObject({
      type: 'job.failed',
      data: { error: { code: 'cancelled' } },
    });
    const done = await start(receiver.url);
    await client.wait(done);
    expect(JSON.stringify(await client.receipt(done))).not.toContain(`127.0.0.1:${receiver.port}`);
    expect(server.log()).not.toContain(receiver.url);
  });

  it('survives a server that is killed before the call', async () => {
    const folder = makeFolder();
    const [settings, open] = [{ CALLBACK_ADDRESSES: 'any' }, startServer];
    receiver.answers = [503];
    const first = await open(settings, folder.path);
    const own = new SyntheticTables({ url: first.url, key: first.key ?? '' });
    const { job_id } = await own.upload(housesCsv(60), 'houses.csv');
    await own.generate({ job_id, ...SHORT, callback_url: receiver.url });
    await until('the first try', async () => receiver.received.some(({ body }) => body.includes(job_id)));
    await first.stop('SIGKILL');
    receiver.answers = [204];
    const tries = receiver.received.length;
    const next = await open(settings, folder.path);
    try {
      const later = () => receiver.received.slice(tries).filter(({ body }) => body.includes(job_id));
      await until('the call of the next server', async () => later().length > 0, 60_000);
      const { callback } = await until('the note', async () => {
        const told = await new SyntheticTables({ url: next.url, key: first.key ?? '' }).status(job_id);
        return told.callback?.state === 'delivered' && told;
      });
      expect(callback).toMatchObject({ last_answer: 'answered 204' });
    } finally {
      await next.stop();
      folder.remove();
    }
  }, 90_000);
});

describe('callback_url by default', () => {
  it('names no private address, and starts nothing where it does', async () => {
    const closed = await startServer();
    const own = new SyntheticTables({ url: closed.url, key: closed.key ?? '' });
    try {
      const { job_id } = await own.upload(housesCsv(60), 'houses.csv');
      const refuse = (callback_url: string) =>
        own.generate({ job_id, ...SHORT, callback_url }).catch((error: unknown) => error);
      for (const host of ['https://127.0.0.1', 'https://[::1]', 'https://169.254.169.254', 'http://example.org']) {
        const refused = await refuse(`${host}/hook`);
        expect(refused).toBeInstanceOf(RefusedError);
        expect(refused).toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining('callback_url') });
      }
      expect((await own.status(job_id)).status).toBe('uploaded');
    } finally {
      await closed.stop();
    }
  });
});
