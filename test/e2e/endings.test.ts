/** How a server's end, and the end of a job's time, look to the client. */
import { expect, it, onTestFinished } from 'vitest';
import { openStores } from '../../adapters/local/openStores.ts';
import { until } from '../ports/made.ts';
import { childrenOf } from '../support/childrenOf.ts';
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

it('a server that is asked to stop interrupts its job, which the next server runs when it is sent again', async () => {
  const folder = makeFolder();
  onTestFinished(() => folder.remove());
  const first = await start({}, folder.path);
  const id = await running(clientOf(first));
  const jobs = childrenOf(first.pid);
  expect(await first.stop('SIGTERM')).toBe(0);
  for (const pid of jobs) expect(() => process.kill(pid, 0)).toThrow('ESRCH');

  const client = clientOf(await start({}, folder.path), first.key);
  expect(await client.status(id)).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
  expect((await client.send('GET', `/download/${id}`)).status).toBe(404);
  expect((await client.post('/generate', { job_id: id, ...SHORT })).status).toBe(200);
  expect((await client.end(id)).status).toBe('done');
});

it('a server that is killed is missed by its job, and its slot is free at once after the restart', async () => {
  const folder = makeFolder();
  onTestFinished(() => folder.remove());
  const first = await start({ MAX_RUNNING_JOBS: '1' }, folder.path);
  const id = await running(clientOf(first));
  const jobs = childrenOf(first.pid);
  await first.stop('SIGKILL');
  const client = clientOf(await start({ MAX_RUNNING_JOBS: '1' }, folder.path), first.key);
  expect(await client.status(id)).toMatchObject({
    status: 'failed',
    error: { code: 'interrupted', message: expect.stringMatching(/send POST \/generate again/i) },
  });
  const other = await client.newJob(housesCsv());
  expect((await client.post('/generate', { job_id: other, ...SHORT })).status).toBe(200);
  expect((await client.end(other)).status).toBe('done');
  await until(
    'the jobs of the killed server to end',
    async () => jobs.every((pid) => !childrenOf(1).includes(pid)),
    3000,
  );
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
