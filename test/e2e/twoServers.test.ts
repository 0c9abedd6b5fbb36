/** Two servers on one data folder, and more jobs at once than there are slots. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStores } from '../../adapters/local/openStores.ts';
import type { Job } from '../../service/job/job.ts';
import { until } from '../ports/made.ts';
import { Deployment, type Reply } from '../support/contract.ts';
import { type LiveServer, startServer } from '../support/liveServer.ts';
import { type Sampler, sampleSlots } from '../support/sampleSlots.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

const JOBS = 60;
/** So many of them are run to their end. */
const RUN = 9;
const TABLE = `t\n${Array.from({ length: 60 }, (_, i) => `some words of line ${i}, and number ${i % 7}`)
  .map((t) => `"${t}"`)
  .join('\n')}\n`;

const folder = makeFolder();
const servers: LiveServer[] = [];
const clients: Deployment[] = [];
beforeAll(async () => {
  servers.push(await startServer({}, folder.path));
  servers.push(await startServer({}, folder.path));
  for (const local of servers) {
    clients.push(Object.assign(new Deployment(), { url: local.url, key: servers[0]?.key ?? '', local }));
  }
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  folder.remove();
});

const client = (i: number): Deployment => clients[i % clients.length]!;
const generate = (i: number, id: string, queue = false): Promise<Reply> =>
  client(i).post('/generate', { job_id: id, text_cols: ['t'], n_samples: 5, text_epochs: 1, queue });

/** Most jobs that were active at one moment, by the times in their records. */
function mostAtOnce(jobs: Job[]): number {
  const moments = jobs.flatMap(({ startedAt, endedAt }) => [
    { at: Date.parse(startedAt ?? ''), step: 1 },
    { at: Date.parse(endedAt ?? ''), step: -1 },
  ]);
  // A job that ends in the same millisecond in which another one starts has ended before.
  moments.sort((a, b) => a.at - b.at || a.step - b.step);
  let now = 0;
  return Math.max(...moments.map(({ step }) => (now += step)));
}

describe('two servers on one data folder', () => {
  const ids: string[] = [];
  let sampler: Sampler;

  it('admit exactly three of sixty jobs that are started at once, and tell the others when to come back', async () => {
    for (let i = 0; i < JOBS; i += 6) {
      ids.push(...(await Promise.all(Array.from({ length: 6 }, (_, j) => client(i + j).newJob(TABLE)))));
    }
    sampler = sampleSlots(folder.path);
    const replies = await Promise.all(ids.map((id, i) => generate(i, id)));
    const admitted = replies.filter(({ status }) => status === 200);
    const refused = replies.filter(({ status }) => status === 429);
    expect(admitted.length + refused.length).toBe(JOBS);
    expect(admitted.length).toBeGreaterThanOrEqual(3);
    for (const reply of refused) {
      expect(reply.error?.code).toBe('capacity_exceeded');
      expect(reply.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    }
  });

  it('run those that wait in the queue, or are asked again, to their end, each once, and never a fourth at a time', {
    timeout: 300_000,
  }, async () => {
    const again = ids.slice(-RUN);
    const waiting = [...again.entries()];
    while (waiting.length > 0) {
      const [i, id] = waiting.shift()!;
      const reply = await generate(i, id, i % 2 === 0);
      if (reply.status === 429) {
        waiting.unshift([i, id]);
        await new Promise((resolve) => setTimeout(resolve, 30));
      } else expect([200, 409]).toContain(reply.status);
    }
    const ends = await Promise.all(again.map((id, i) => client(i + 1).end(id)));
    expect(ends.filter(({ status }) => status === 'done')).toHaveLength(RUN);
    const { mostSlots, mostActive, withoutSlot } = await sampler.stop();
    expect({ mostSlots, mostActive, withoutSlot }).toEqual({ mostSlots: 3, mostActive: 3, withoutSlot: 0 });

    const { jobs, close } = openStores(folder.path);
    const records = await Promise.all(ids.map(async (id) => (await jobs.find(id))!));
    const started = records.filter(({ state }) => state !== 'uploaded');
    expect(mostAtOnce(started)).toBe(3);
    expect(started.map(({ state, attempt }) => [state, attempt])).toEqual(started.map(() => ['done', 1]));
    // A job is done before its slot is given back: what is said of it can be read while the process ends.
    await until('the last slots', async () => (await jobs.slots()).length === 0);
    close();
  });

  it('show each other’s jobs, and a result that one made is downloaded from the other', async () => {
    const texts = await Promise.all(
      [0, 1].map(async (i) => (await clients[i]!.send('GET', `/download/${ids.at(-1)}`)).text),
    );
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]?.split('\n')).toHaveLength(7);
  });

  it('end a job that the other one runs', async () => {
    const id = await clients[0]!.newJob(TABLE);
    await clients[0]!.post('/generate', { job_id: id, text_cols: ['t'], n_samples: 1_000_000, text_epochs: 100 });
    expect((await clients[1]!.send('POST', `/jobs/${id}/cancel`)).status).toBe(200);
    expect(await clients[0]!.end(id)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
    expect((await clients[1]!.send('DELETE', `/jobs/${id}`)).status).toBe(200);
    expect(servers[0]!.files().filter((file) => file.includes(id))).toEqual([]);
  });
});
