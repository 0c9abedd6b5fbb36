/** How a server's end, and the end of a job's time, look to the client. */
import { expect, it, onTestFinished } from 'vitest';
import { isAlive } from '../../adapters/local/leases.ts';
import { openStores } from '../../adapters/local/openStores.ts';
import { until } from '../ports/made.ts';
import { jobsOf } from '../support/childrenOf.ts';
import { Deployment } from '../support/contract.ts';
import { type LiveServer, startServer } from '../support/liveServer.ts';
import { housesCsv } from '../support/tables.ts';
import { makeFolder, temporaryFolder } from '../support/temporaryFolder.ts';

const LONG = { target_col: 'price', text_cols: ['note'], n_samples: 1_000_000, text_epochs: 100 };
const SHORT = { target_col: 'price', n_samples: 20, draws: 100, tune: 100 };

async function start(settings: Record<string, string>, folder: string): Promise<LiveServer> {
  const server = await startServer(settings, folder);
  onTestFinished(async () => void (await server.stop()));
  return server;
}

const clientOf = (server: LiveServer, key = server.key ?? ''): Deployment =>
  Object.assign(new Deployment(), { url: server.url, key, local: server });

async function running(client: Deployment): Promise<string> {
  const id = await client.newJob(housesCsv(400));
  expect((await client.post('/generate', { job_id: id, ...LONG })).status).toBe(200);
  await until('the job to run', async () => (await client.status(id)).status === 'running');
  return id;
}

it('a server that is asked to stop leaves its job to the next one, which runs it by itself to the same bytes', async () => {
  const folder = makeFolder();
  onTestFinished(() => folder.remove());
  const first = await start({}, folder.path);
  const client = clientOf(first);
  const table = housesCsv(400);
  const ids = [await client.newJob(table), await client.newJob(table)];
  const request = { ...SHORT, n_samples: 2000, seed: 5 };
  expect((await client.post('/generate', { job_id: ids[0], ...request })).status).toBe(200);
  await until('the job to run', async () => (await client.status(ids[0]!)).status === 'running');
  const jobs = jobsOf(first.pid);
  expect(await first.stop('SIGTERM')).toBe(0);
  for (const pid of jobs) expect(() => process.kill(pid, 0)).toThrow('ESRCH');

  const again = clientOf(await start({}, folder.path), first.key);
  expect(await again.end(ids[0]!)).toMatchObject({ status: 'done', error: null });
  expect((await again.post('/generate', { job_id: ids[1], ...request })).status).toBe(200);
  expect((await again.end(ids[1]!)).status).toBe('done');
  const [interrupted, undisturbed] = await Promise.all(ids.map((id) => again.send('GET', `/download/${id}`)));
  expect(interrupted?.text.length).toBeGreaterThan(1000);
  expect(interrupted?.text).toBe(undisturbed?.text);
});

it('a job that is interrupted a second time fails, may be sent again, and its slot is free at once', async () => {
  const folder = makeFolder();
  onTestFinished(() => folder.remove());
  const settings = { MAX_RUNNING_JOBS: '1' };
  const first = await start(settings, folder.path);
  const id = await running(clientOf(first));
  const jobs = jobsOf(first.pid);
  await first.stop('SIGKILL');
  const second = await start(settings, folder.path);
  const between = clientOf(second, first.key);
  await until('the job to run again', async () => (await between.status(id)).status === 'running');
  jobs.push(...jobsOf(second.pid));
  await second.stop('SIGKILL');
  const client = clientOf(await start(settings, folder.path), first.key);
  expect(await client.status(id)).toMatchObject({
    status: 'failed',
    error: { code: 'interrupted', message: expect.stringMatching(/send POST \/generate again/i) },
  });
  expect((await client.send('GET', `/download/${id}`)).status).toBe(404);
  expect((await client.post('/generate', { job_id: id, ...SHORT })).status).toBe(200);
  expect((await client.end(id)).status).toBe('done');
  await until('the jobs of the killed servers to end', async () => !jobs.some(isAlive));
});

it('a job that takes longer than JOB_TIMEOUT fails alone, and says how long it may take', async () => {
  const folder = temporaryFolder();
  const server = await start({ JOB_TIMEOUT: '1' }, folder);
  const client = clientOf(server);
  const id = await client.newJob(housesCsv(400));
  await client.post('/generate', { job_id: id, ...LONG });
  expect(await client.end(id)).toMatchObject({
    status: 'failed',
    error: { code: 'timeout', message: expect.stringContaining('1 second') },
  });
  const { jobs, close } = openStores(folder);
  await until('the slot to be free', async () => (await jobs.slots()).length === 0);
  close();
});
