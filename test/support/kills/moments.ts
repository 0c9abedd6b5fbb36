/** The moments at which a service is killed: each brings a lane to one, at a random point of it. */
import { watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';
import type { Standing } from './audit.ts';
import { PRIVATE_TABLE } from './cutOffClient.ts';
import { type Lane, must, type Victim } from './lane.ts';
import type { Pace } from './pace.ts';

/** What was under way when the time came. */
export interface Reached {
  victim: Victim;
  /** The job that it is about, where it was known before. */
  jobId?: string;
  /** Whether the last request was answered; known when the server is killed. */
  answered: Promise<boolean>;
  /** How a new job may be found where its request was not answered. */
  maybeNew?: Standing;
  /** The span that recovery takes: that of what is run again. */
  runs?: keyof Pace;
}

type Moment = (lane: Lane, random: RandomStream) => Promise<Reached>;

export const MOMENTS = {
  upload: async (lane, random) => ({
    victim: 'server',
    maybeNew: 'uploaded',
    ...(await amid(lane, random, 'upload', async () => {
      const id = await lane.client.upload();
      if (id !== undefined) lane.known.set(id, ['uploaded']);
      return id !== undefined;
    })),
  }),

  start: async (lane, random) => {
    const id = await lane.uploaded();
    lane.known.set(id, ['uploaded', 'withheld']);
    const request = () => lane.client.start(id, lane.receiver.url);
    return {
      ...victimWith(random),
      jobId: id,
      ...(await amid(lane, random, 'start', acknowledged(lane, id, 'withheld', request))),
    };
  },

  queue: async (lane, random) => {
    const jobId = await lane.uploaded();
    lane.known.set(jobId, ['uploaded', 'withheld']);
    await lane.fillSlots();
    const request = acknowledged(lane, jobId, 'withheld', () =>
      lane.client.start(jobId, lane.receiver.url, { queue: true }),
    );
    const queued = { ...victimWith(random), jobId, runs: 'job' } as const;
    if (random.uniform() < 0.5) return { ...queued, ...(await amid(lane, random, 'start', request)) };
    must(await request());
    await sleep(lane.pace.turn.part(random));
    return { ...queued, answered: Promise.resolve(true) };
  },

  job: async (lane, random) => {
    const jobId = await lane.started();
    await sleep(lane.pace.job.part(random));
    return { ...victimWith(random), jobId, answered: Promise.resolve(true), runs: 'job' };
  },

  write: async (lane, random) => {
    const jobId = await lane.started();
    await writing(lane, jobId, 1 + random.integer(MAX_WRITES));
    await sleep(random.uniform() * WRITE_MS);
    return { ...victimWith(random), jobId, answered: Promise.resolve(true), runs: 'job' };
  },

  erase: async (lane, random) => {
    const jobId = await erasable(lane, random);
    const ids = jobId === lane.source ? [jobId, ...lane.samples.filter((id) => lane.known.has(id))] : [jobId];
    for (const id of ids) lane.known.set(id, [...(lane.known.get(id) ?? []), 'gone']);
    const request = async () => {
      const isAnswered = await lane.client.erase(jobId);
      if (isAnswered) for (const id of ids) lane.known.set(id, ['gone']);
      return isAnswered;
    };
    return { victim: 'server', jobId, ...(await amid(lane, random, 'erase', request)) };
  },

  release: async (lane, random) => {
    const jobId = await lane.withheld();
    lane.known.set(jobId, ['withheld', 'released']);
    const request = acknowledged(lane, jobId, 'released', () => lane.client.release(jobId));
    return { victim: 'server', jobId, ...(await amid(lane, random, 'release', request)) };
  },

  sample: async (lane, random) => {
    const source = await lane.readySource();
    const sampling = async () => {
      const id = await lane.client.sample(source);
      if (id !== undefined) lane.drew(id);
      return id !== undefined;
    };
    const made = { ...victimWith(random), maybeNew: 'withheld', runs: 'sampleJob' } as const;
    if (random.uniform() < 0.5) return { ...made, ...(await amid(lane, random, 'sample', sampling)) };
    must(await sampling());
    await sleep(lane.pace.sampleJob.part(random));
    return { ...made, answered: Promise.resolve(true) };
  },

  /** Now and then cancelled: before it runs, which gives its charge back, or after. */
  private: async (lane, random) => {
    const jobId = must(await lane.client.upload(PRIVATE_TABLE));
    lane.privates.add(jobId);
    lane.known.set(jobId, ['uploaded', 'released']);
    const start = () => lane.client.startPrivate(jobId, lane.receiver.url);
    const chosen = random.integer(3);
    if (chosen === 0) {
      const request = acknowledged(lane, jobId, 'released', start);
      return { ...victimWith(random), jobId, ...(await amid(lane, random, 'start', request)), runs: 'job' };
    }
    must(await start());
    lane.known.set(jobId, ['released']);
    const reached = { ...victimWith(random), jobId, runs: 'job' } as const;
    if (chosen === 1) {
      await sleep(lane.pace.job.part(random));
      return { ...reached, answered: Promise.resolve(true) };
    }
    lane.known.set(jobId, ['released', 'failed']);
    const cancel = acknowledged(lane, jobId, 'failed', () => lane.client.cancel(jobId));
    return { ...reached, ...(await amid(lane, random, 'erase', cancel)) };
  },

  callback: async (lane, random) => {
    const jobId = lane.all('failed')[0] ?? (await lane.uploaded());
    lane.known.set(jobId, ['failed']);
    const before = lane.receiver.received.length;
    must(await lane.client.start(jobId, lane.receiver.url));
    must(await lane.client.cancel(jobId));
    if (random.uniform() < 0.3) await sleep(lane.pace.call.part(random));
    else await called(lane, before, random);
    return { victim: 'server', jobId, answered: Promise.resolve(true) };
  },
} satisfies Record<string, Moment>;

export type MomentName = keyof typeof MOMENTS;
export const momentNames: readonly MomentName[] = [
  'upload',
  'start',
  'queue',
  'job',
  'write',
  'erase',
  'release',
  'sample',
  'callback',
  'private',
];

/** Sends a request, and waits for a part of the time that such a one takes. */
async function amid(
  lane: Lane,
  random: RandomStream,
  span: keyof Pace,
  request: () => Promise<boolean>,
): Promise<{ answered: Promise<boolean> }> {
  const begin = performance.now();
  let took: number | undefined;
  const answered = request().then((isAnswered) => {
    if (isAnswered) took = performance.now() - begin;
    return isAnswered;
  });
  // A refusal is thrown where the answer is looked at.
  answered.catch(() => undefined);
  const wait = lane.pace[span].part(random);
  await sleep(wait);
  if (took === undefined) lane.pace[span].notYet(wait);
  else lane.pace[span].took(took);
  return { answered };
}

/** The request; where it is answered, the job is to be found so. */
const acknowledged = (lane: Lane, jobId: string, standing: Standing, request: () => Promise<boolean>) => async () => {
  const isAnswered = await request();
  if (isAnswered) lane.known.set(jobId, [standing]);
  return isAnswered;
};

const VICTIMS: readonly Victim[] = ['server', 'job', 'all'];

const victimWith = (random: RandomStream): { victim: Victim } => ({
  victim: must(VICTIMS[random.integer(VICTIMS.length)]),
});

/** An attempt writes some seven files; each is made and then renamed. */
const MAX_WRITES = 14;
const WRITE_MS = 8;
const LOOK_MS = 250;

/** Resolves at the `nth` change of the folder of temporary files, or when the job is over. */
async function writing(lane: Lane, jobId: string, nth: number): Promise<void> {
  const stopping = new AbortController();
  const changed = new Promise<void>((resolve) => {
    let changes = 0;
    watch(join(lane.folder, 'tmp'), { signal: stopping.signal }, () => {
      changes += 1;
      if (changes >= nth) resolve();
    });
  });
  const over = (async () => {
    while (!stopping.signal.aborted && !(await lane.client.isOver(jobId))) await sleep(LOOK_MS);
  })();
  await Promise.race([changed, over]);
  stopping.abort();
}

/** Any job; now and then one that is at work. With the source of samples these go, too. */
async function erasable(lane: Lane, random: RandomStream): Promise<string> {
  if (random.uniform() < AT_WORK) {
    const id = await lane.started();
    await sleep(lane.pace.job.part(random));
    return id;
  }
  const ids = [...lane.known.keys()];
  return ids.length > 0 ? must(ids[random.integer(ids.length)]) : lane.uploaded();
}

const AT_WORK = 0.25;

const ANSWER_MS = 60;

/** Resolves soon after the receiver was called, while it answers or when it has. */
async function called(lane: Lane, before: number, random: RandomStream): Promise<void> {
  lane.receiver.delayMs = random.uniform() * ANSWER_MS;
  while (lane.receiver.received.length === before) await sleep(2);
  await sleep(random.uniform() * ANSWER_MS);
  lane.receiver.delayMs = 0;
}
