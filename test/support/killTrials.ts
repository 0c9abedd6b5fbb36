/** Kills the real server (SIGKILL) at seeded moments of a job, starts it again, and looks at what is left. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { type LocalStores, openStores } from '../../adapters/local/openStores.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../packages/numerics/random/stream.ts';
import type { Job } from '../../service/job/job.ts';
import { until } from '../ports/made.ts';
import { childrenOf } from './childrenOf.ts';
import { KillTarget, ROWS } from './killTarget.ts';
import { type LiveServer, startServer } from './liveServer.ts';
import { makeFolder } from './temporaryFolder.ts';

export interface KillReport {
  /** How often a job was found in which state, by the moment of the kill: `running: failed`, say. */
  outcomes: Map<string, number>;
  /** What must not be, in words. */
  faults: string[];
}

interface Trial {
  target: KillTarget;
  server: LiveServer;
  folder: string;
  random: RandomStream;
}

/** Brings a job to a moment, and resolves when the server is to be killed. */
type Moment = (trial: Trial) => Promise<unknown>;

const MOMENTS: Record<string, Moment> = {
  'while uploading': async ({ target, random }) => {
    void target.uploadSlowly();
    await sleep(random.integer(120));
  },
  uploaded: ({ target }) => target.upload(),
  'while starting': async ({ target, random }) => {
    await target.upload();
    void target.generate();
    await sleep(random.integer(30));
  },
  'just started': async ({ target }) => {
    await target.upload();
    await target.generate();
  },
  running: async ({ target, random }) => {
    await target.upload();
    await target.generate();
    await sleep(random.integer(700));
  },
  writing: async ({ target, folder, random }) => {
    await target.upload();
    await target.generate();
    await writing(target, join(folder, 'tmp'));
    await sleep(random.integer(6));
  },
};

const LOOKS_A_QUESTION = 200;

/** Resolves when something lies in `folder`, looking without a pause, or when the job is over before it was seen. */
async function writing(target: KillTarget, folder: string): Promise<void> {
  for (let looks = 1; readdirSync(folder).length === 0; looks++) {
    if (looks % LOOKS_A_QUESTION === 0 && (await target.isOver())) return;
    await setImmediate();
  }
}

/** A job's process would have written to the end before it missed its server. */
const MOMENTS_OF_ALL = ['writing'];

/** Each moment once, then those again that a job spends most of its time in. */
const CYCLE = [
  'while uploading',
  'running',
  'while starting',
  'uploaded',
  'writing',
  'just started',
  'running',
  'writing',
  'running',
  'running',
];

/** Kills `count` times; `say` is told what became of each job. */
export async function runKillTrials(
  count: number,
  seed: number,
  say: (line: string) => void = () => {},
): Promise<KillReport> {
  const folder = makeFolder();
  const report: KillReport = { outcomes: new Map(), faults: [] };
  let server = await startServer({}, folder.path);
  const key = server.key ?? '';
  const targets: KillTarget[] = [];
  try {
    for (let i = 0; i < count; i++) {
      const name = CYCLE[i % CYCLE.length]!;
      const target = new KillTarget(server.url, key);
      await MOMENTS[name]!({ target, server, folder: folder.path, random: createStream(seed, `kill ${i}`) });
      await killWithJobs(server, MOMENTS_OF_ALL.includes(name) || i % 4 === 1);
      server = await startServer({}, folder.path);
      target.url = server.url;
      const state = await inspect(target, folder.path, report.faults);
      report.outcomes.set(`${name}: ${state}`, (report.outcomes.get(`${name}: ${state}`) ?? 0) + 1);
      say(`${i + 1}. killed ${name}: ${state}`);
      targets.push(target);
    }
    await sendAgain(targets.slice(-4), server, report.faults);
    server = await inspectFolder(server, folder.path, report.faults);
  } finally {
    await server.stop();
    folder.remove();
  }
  return report;
}

/** The server alone, whose jobs end a moment later; or all at once, as where a container or a machine ends. */
async function killWithJobs(server: LiveServer, together: boolean): Promise<void> {
  const jobs = together ? childrenOf(server.pid) : [];
  // The server first: it must not see its jobs end.
  for (const pid of [server.pid, ...jobs]) process.kill(pid, 'SIGKILL');
  await server.stop('SIGKILL');
}

/** The state in which the restarted server has the job, when it has run what was interrupted. Faults are added to `faults`. */
async function inspect(target: KillTarget, folder: string, faults: string[]): Promise<string> {
  const stores = openStores(folder);
  try {
    await until('what was interrupted to end', async () => (await stores.jobs.active()).length === 0);
    await freeSlots(stores, faults);
    const job = target.jobId === undefined ? undefined : await stores.jobs.find(target.jobId);
    if (!job) {
      if (target.jobId !== undefined) faults.push(`job ${target.jobId} was answered for and has no record`);
      return 'no job';
    }
    await inspectJob(job, target, faults);
    return job.state;
  } finally {
    stores.close();
  }
}

/** A slot whose request died before its job had started is freed after a grace. */
async function freeSlots({ jobs }: LocalStores, faults: string[]): Promise<void> {
  try {
    await until('slots to be free', async () => (await jobs.slots()).length === 0, 12_000);
  } catch {
    faults.push(`slots lost: ${(await jobs.slots()).join()}`);
  }
}

async function inspectJob(job: Job, target: KillTarget, faults: string[]): Promise<void> {
  if (job.state === 'failed') {
    faults.push(`job ${job.id} failed with ${job.error?.code}: ${JSON.stringify(job.error?.params)}`);
  }
  const { status, text } = await target.download();
  if (job.state === 'done' && !isWhole(text))
    faults.push(`job ${job.id} is done and its result has ${text.length} characters`);
  if (job.state !== 'done' && status !== 404)
    faults.push(`job ${job.id} is ${job.state} and its download answers ${status}`);
}

const isWhole = (text: string): boolean => text.endsWith('\n') && text.split('\n').length === ROWS + 2;

/** What was never started can be started, and equal requests give equal bytes, interrupted or not. */
async function sendAgain(targets: KillTarget[], server: LiveServer, faults: string[]): Promise<void> {
  const results: string[] = [];
  for (const target of targets.filter(({ jobId }) => jobId !== undefined)) {
    target.url = server.url;
    const answer = await target.generate();
    // 409: it was done before its server was killed.
    if (answer !== 200 && answer !== 409) faults.push(`job ${target.jobId} was sent again and is answered ${answer}`);
    await until('the job to end', async () => target.isOver());
    const { status, text } = await target.download();
    if (status !== 200 || !isWhole(text))
      faults.push(`job ${target.jobId} was sent again and its download answers ${status}`);
    results.push(text);
  }
  if (new Set(results).size > 1) faults.push('equal requests gave unequal results');
}

/** What the killed processes were writing is gone after the next start. */
async function inspectFolder(server: LiveServer, folder: string, faults: string[]): Promise<LiveServer> {
  await server.stop();
  const again = await startServer({}, folder);
  const left = readdirSync(join(folder, 'tmp'));
  if (left.length > 0) faults.push(`temporary files left: ${left.length}`);
  return again;
}
