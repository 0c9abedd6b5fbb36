/** Kills a real server, or a job's process, at seeded moments, and looks at what is there when it has been started again. */
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { shuffle } from '../../../packages/numerics/random/draws.ts';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';
import { sha256Of } from '../../../service/hashing.ts';
import { audit, type Found, passAnHour, type Results, type Standing, temporaryFiles } from './audit.ts';
import { Lane, must, type Victim } from './lane.ts';
import { MOMENTS, type MomentName, momentNames, type Reached } from './moments.ts';

import { Pace } from './pace.ts';

export interface KillOptions {
  count: number;
  seed: number;
  /** The number of the first trial. */
  first?: number;
  /** Trials at a time. */
  lanes?: number;
  /** Told what became of each trial. */
  say?: (line: string) => void;
}

/** What a trial came to. */
export interface Outcome {
  moment: MomentName;
  killed: Victim;
  isAnswered: boolean;
  found: Standing;
}

export interface KillReport {
  outcomes: Outcome[];
  /** What must not be, in words, with the number and the moment of its trial. */
  faults: string[];
}

/** What all lanes share. */
interface Run extends KillReport {
  seed: number;
  /** Numbers of the trials that are left. */
  next: IterableIterator<number>;
  results: Results;
  pace: Pace;
  say: (line: string) => void;
}

/** Each moment once in ten trials, in an order of their own. A trial's number and the seed say all that is random in it. */
export async function runKillTrials(options: KillOptions): Promise<KillReport> {
  const { count, seed, first = 1, lanes = 1, say = () => {} } = options;
  const next = Array.from({ length: count }, (_, i) => first + i).values();
  const run: Run = { outcomes: [], faults: [], seed, next, results: new Map(), pace: new Pace(), say };
  await Promise.all(Array.from({ length: lanes }, () => runLane(run)));
  return run;
}

/** A lane on which something went wrong is given up for a new one. */
async function runLane(run: Run): Promise<void> {
  for (;;) {
    const lane = await Lane.open(run.pace);
    try {
      if (await runOn(lane, run)) return;
    } finally {
      await lane.close();
    }
  }
}

/** False where trials are left. */
async function runOn(lane: Lane, run: Run): Promise<boolean> {
  for (const number of run.next) {
    const moment = momentOf(run.seed, number);
    const fault = (text: string) => {
      run.faults.push(`trial ${number} (${moment}, seed ${run.seed}): ${text}`);
      run.say(`FAULT ${run.faults.at(-1)}\n${lane.log().split('\n').slice(-8).join('\n')}`);
    };
    try {
      const begin = performance.now();
      const { outcome, faults } = await trial(lane, moment, createStream(run.seed, `kill ${number}`), run.results);
      run.outcomes.push(outcome);
      run.say(`${number}. ${describe(outcome)} (${((performance.now() - begin) / 1000).toFixed(1)} s)`);
      faults.forEach(fault);
      if (faults.length > 0) return false;
    } catch (error) {
      fault(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return false;
    }
  }
  return true;
}

const describe = ({ moment, killed, isAnswered, found }: Outcome): string =>
  `${moment}: ${killed} killed, ${isAnswered ? 'answered' : 'not answered'}, ${found}`;

function momentOf(seed: number, number: number): MomentName {
  const names = [...momentNames];
  shuffle(names, createStream(seed, `moments ${Math.floor((number - 1) / names.length)}`));
  return must(names[(number - 1) % names.length]);
}

async function trial(
  lane: Lane,
  moment: MomentName,
  random: RandomStream,
  results: Results,
): Promise<{ outcome: Outcome; faults: string[] }> {
  await tidy(lane);
  const reached: Reached = await MOMENTS[moment](lane, random);
  const killed = await lane.kill(reached.victim);
  const isAnswered = await reached.answered;
  const begin = performance.now();
  if (killed !== 'job') {
    await passAnHour(lane.folder);
    await lane.restart();
  }
  const left = lane.hasOrphans ? [] : temporaryFiles(lane.folder);
  await lane.settle();
  if (reached.runs && killed !== 'job') lane.pace[reached.runs].took(performance.now() - begin);
  const { standings, faults } = await audit(lane.folder, results, callsOf(lane));
  const found = compare(lane, reached, isAnswered, standings, faults);
  for (const id of [reached.jobId, [...lane.known.keys()].at(-1)]) {
    if (id !== undefined) faults.push(...(await faultsOfDownload(lane, id, standings.get(id) ?? 'gone', results)));
  }
  return { outcome: { moment, killed, isAnswered, found }, faults: [...left, ...faults] };
}

const DOWNLOAD: Record<Standing, number> = { gone: 404, uploaded: 404, failed: 404, withheld: 403, released: 200 };

/** The rows of a released job, and of no other. */
async function faultsOfDownload(lane: Lane, id: string, standing: Standing, results: Results): Promise<string[]> {
  const { status, text } = must(await lane.client.download(id));
  if (status !== DOWNLOAD[standing]) return [`the download of job ${id}, ${standing}, is answered ${status}`];
  if (lane.privates.has(id)) return [];
  const isWhole = [...results.values()].includes(sha256Of(Buffer.from(text)));
  return status === 200 && !isWhole ? [`the download of job ${id} has ${text.length} characters of other bytes`] : [];
}

/** Names of the calls that have come. */
const callsOf = (lane: Lane): Set<string> =>
  new Set(lane.receiver.received.map(({ headers }) => headers['webhook-id'] ?? ''));

/** How the job of a trial is found. What differs from what was acknowledged is added to `faults`. */
function compare(
  lane: Lane,
  { jobId, maybeNew }: Reached,
  isAnswered: boolean,
  standings: Found['standings'],
  faults: string[],
): Standing {
  for (const [id, allowed] of lane.known) {
    const standing = standings.get(id) ?? 'gone';
    if (!allowed.includes(standing)) faults.push(`job ${id} is to be ${allowed.join(' or ')} and is ${standing}`);
    if (standing === 'gone') lane.known.delete(id);
    else lane.known.set(id, [standing]);
  }
  const made = [...standings].filter(([id]) => !lane.known.has(id));
  for (const [id, standing] of made) {
    if (isAnswered || made.length > 1 || standing !== maybeNew)
      faults.push(`nobody was told of job ${id}, ${standing}`);
    if (standing === 'withheld') lane.drew(id);
    else lane.known.set(id, [standing]);
  }
  if (!lane.known.has(lane.source)) lane.forgetSource();
  if (jobId !== undefined) return standings.get(jobId) ?? 'gone';
  return isAnswered ? must(maybeNew) : (made[0]?.[1] ?? 'gone');
}

const KEPT: Partial<Record<Standing, number>> = { uploaded: 8, failed: 1, withheld: 3, released: 2 };

/** Erases the oldest of the jobs of which there are many. */
async function tidy(lane: Lane): Promise<void> {
  for (const standing of ['uploaded', 'failed', 'withheld', 'released'] as const) {
    const ids = lane.all(standing).filter((id) => id !== lane.source);
    for (const id of ids.slice(0, -(KEPT[standing] ?? 0))) {
      must(await lane.client.erase(id));
      lane.known.delete(id);
    }
  }
}
