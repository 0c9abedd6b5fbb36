/** A real server on a data folder of its own, which is killed and started again, and what its client knows of its jobs. */
import { readFileSync } from 'node:fs';
import { openDatabase } from '../../../adapters/local/database.ts';
import { openStores } from '../../../adapters/local/openStores.ts';
import { until } from '../../ports/made.ts';
import { jobsOf } from '../childrenOf.ts';
import { type LiveServer, startServer } from '../liveServer.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { makeFolder } from '../temporaryFolder.ts';
import type { Standing } from './audit.ts';
import { CutOffClient } from './cutOffClient.ts';
import type { Pace } from './pace.ts';

const SETTINGS = { CALLBACK_ADDRESSES: 'any' };
/** As many as jobs may run by default. */
const SLOTS = 3;
/** A server that was just started is slow at its first upload. */
const UPLOADS_AT_ONCE = 6;
/** A slot whose request died before its job had started is freed after five seconds, looked for every five. */
const JOBS_MS = 600_000;
const SLOTS_MS = 60_000;
const CALLS_MS = 60_000;

/** The server, whose jobs end a moment later; a job's process; or all, as where a machine ends. */
export type Victim = 'server' | 'job' | 'all';

interface LaneParts {
  folder: ReturnType<typeof makeFolder>;
  server: LiveServer;
  receiver: Receiver;
  pace: Pace;
}

export class Lane {
  readonly client: CutOffClient;
  /** How each job may be found: as it was acknowledged, or else before or after its last request. */
  readonly known = new Map<string, Standing[]>();
  /** A released job, from whose model samples are drawn; empty where there is none yet. */
  source = '';
  /** Those drawn from it. */
  samples: string[] = [];
  /** Uploads of private tables, which no other moment uses. */
  readonly privates = new Set<string>();
  /** Whether processes of jobs may outlive the last kill for a moment, or their server has not been started again since. */
  hasOrphans = false;
  readonly #parts: LaneParts;

  static async open(pace: Pace): Promise<Lane> {
    const folder = makeFolder();
    const server = await startServer(SETTINGS, folder.path);
    return new Lane({ folder, server, receiver: await startReceiver(), pace });
  }

  private constructor(parts: LaneParts) {
    this.#parts = parts;
    this.client = new CutOffClient(parts.server.url, parts.server.key ?? '');
  }

  get folder(): string {
    return this.#parts.folder.path;
  }

  get pace(): Pace {
    return this.#parts.pace;
  }

  get receiver(): Receiver {
    return this.#parts.receiver;
  }

  log = (): string => this.#parts.server.log();

  async close(): Promise<void> {
    await this.#parts.server.stop();
    await this.receiver.close();
    this.#parts.folder.remove();
  }

  /** Jobs that are found so for certain, the oldest first. */
  all(standing: Standing): string[] {
    return [...this.known]
      .filter(([id, found]) => found.length === 1 && found[0] === standing && !this.privates.has(id))
      .map(([id]) => id);
  }

  async uploaded(): Promise<string> {
    const [there] = this.all('uploaded');
    if (there !== undefined) return there;
    const ids = await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, () => this.client.upload()));
    for (const id of ids) this.known.set(must(id), ['uploaded']);
    return must(ids[0]);
  }

  /** A sample of the source. */
  drew(id: string): void {
    this.known.set(id, ['withheld']);
    this.samples.push(id);
  }

  /** A job whose model draws samples. */
  async readySource(): Promise<string> {
    if (this.source !== '') return this.source;
    const [released] = this.all('released').filter((id) => !this.samples.includes(id));
    this.source = released ?? (await this.withheld());
    if (released === undefined) must(await this.client.release(this.source));
    this.known.set(this.source, ['released']);
    return this.source;
  }

  /** It was erased, and its samples with it. */
  forgetSource(): void {
    this.source = '';
    this.samples = [];
  }

  /** Takes every slot for nobody: the server frees them when it next looks, within five seconds. */
  async fillSlots(): Promise<void> {
    const { jobs, close } = openStores(this.folder);
    try {
      for (let slot = 1; slot <= SLOTS; slot++) await jobs.takeSlot(`nobody#${slot}`, SLOTS);
    } finally {
      close();
    }
  }

  /** A job that is started; it is then at work. */
  async started(): Promise<string> {
    const id = await this.uploaded();
    must(await this.client.start(id, this.receiver.url));
    this.known.set(id, ['withheld']);
    return id;
  }

  /** One that is done. */
  async withheld(): Promise<string> {
    const [there] = this.all('withheld');
    if (there !== undefined) return there;
    const begin = performance.now();
    const id = await this.started();
    await until('a job to end', async () => this.client.isOver(id), JOBS_MS);
    this.pace.job.took(performance.now() - begin);
    return id;
  }

  /** Kills, the server before its jobs: it must not see them end. What was killed: the server where no job is at work. */
  async kill(victim: Victim): Promise<Victim> {
    const { server } = this.#parts;
    const jobs = jobsOf(server.pid).filter(isJob);
    const isJobAlone = victim === 'job' && jobs.length > 0;
    this.hasOrphans = isJobAlone || (victim === 'server' && jobs.length > 0);
    if (!isJobAlone) process.kill(server.pid, 'SIGKILL');
    if (victim !== 'server') jobs.forEach(killIfThere);
    if (isJobAlone) return 'job';
    await server.stop('SIGKILL');
    return jobs.length > 0 ? victim : 'server';
  }

  /** Starts the server on the same folder. */
  async restart(): Promise<void> {
    this.#parts.server = await startServer(SETTINGS, this.folder);
    this.client.url = this.#parts.server.url;
  }

  /** Resolves when what was interrupted has ended, its slots are free and its calls are made. Throws where they are not in time. */
  async settle(): Promise<void> {
    const stores = openStores(this.folder);
    try {
      await until('those that wait to start', async () => (await stores.jobs.line()).jobs.length === 0, SLOTS_MS);
      await until('what was interrupted to end', async () => (await stores.jobs.active()).length === 0, JOBS_MS);
      await until('slots to be free', async () => (await stores.jobs.slots()).length === 0, SLOTS_MS);
    } finally {
      stores.close();
    }
    await this.#callsMade();
  }

  /** A call that was being made is made again after half a minute, which is over here. */
  async #callsMade(): Promise<void> {
    const database = openDatabase(this.folder);
    try {
      const now = new Date().toISOString();
      database.prepare(`UPDATE callbacks SET due_at = ? WHERE state = 'waiting' AND tries > 0`).run(now);
      const waiting = database.prepare(
        `SELECT 1 FROM callbacks JOIN jobs ON jobs.id = job_id AND jobs.attempt = callbacks.attempt WHERE callbacks.state = 'waiting'`,
      );
      await until('calls to be made', async () => waiting.all().length === 0, CALLS_MS);
    } finally {
      database.close();
    }
  }
}

/** What the service is asked for between kills is answered. */
export function must<T>(given: T | undefined | false): T {
  if (given === undefined || given === false) throw new Error('the service did not answer between two kills');
  return given;
}

function isJob(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('gpu-job');
  } catch {
    return false;
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
