/** Reads uploads in threads, so that a too large file harms only itself. */
import { ServiceError } from '../../packages/contract/errors.ts';
import type { Encoding } from '../../packages/contract/files.ts';
import type { EncodedProfile } from '../../packages/tables/profile/profile.ts';
import { FairPermits } from '../../service/fairPermits.ts';
import type { UploadReader } from '../../service/ports.ts';
import { fromReaderSchema, type ToReader } from './workerMessages.ts';
import { Conversation, isOutOfMemory, sendChunk, WorkerPool } from './workerPool.ts';

export interface UploadReaderOptions {
  entry?: URL;
  /** One fewer per key, which leaves a reader to others. */
  atOnce?: number;
  heapMb?: number;
  timeLimitMs?: number;
  sheetLimits?: Record<SheetKind, SheetLimit>;
}

/** .xlsx or .xls. */
type SheetKind = 'zip' | 'records';

interface SheetLimit {
  startMs: number;
  msPerMb: number;
}

/** Four times the parser's usual time; a zipped MB may hold ten of cells. */
const SHEET_LIMITS: Record<SheetKind, SheetLimit> = {
  zip: { startMs: 10_000, msPerMb: 2500 },
  records: { startMs: 4000, msPerMb: 1000 },
};

const SHEET_BEGINS: Record<SheetKind, readonly number[]> = {
  zip: [0x50, 0x4b],
  records: [0xd0, 0xcf, 0x11, 0xe0],
};

/** Larger uploads leave too much memory in a worker. */
const KEEP_AFTER_BYTES = 4_194_304;

export class WorkerUploadReader implements UploadReader {
  readonly #heapMb: number;
  readonly #timeLimitMs: number;
  readonly #sheetLimits: Record<SheetKind, SheetLimit>;
  readonly #permits: FairPermits;
  readonly #pool: WorkerPool;

  constructor(options: UploadReaderOptions = {}) {
    const { entry = new URL('./profileWorker.ts', import.meta.url), atOnce = 2 } = options;
    this.#heapMb = options.heapMb ?? 1024;
    this.#timeLimitMs = options.timeLimitMs ?? 120_000;
    this.#sheetLimits = options.sheetLimits ?? SHEET_LIMITS;
    this.#permits = new FairPermits(atOnce, Math.max(1, atOnce - 1));
    this.#pool = new WorkerPool({ entry, heapMb: this.#heapMb, kept: atOnce });
  }

  profile(
    bytes: AsyncIterable<Uint8Array>,
    fileName: string,
    keyId: string,
    encoding?: Encoding,
  ): Promise<EncodedProfile> {
    const start = { kind: 'start', fileName, encoding } satisfies ToReader;
    return this.#permits.run(keyId, async () => {
      const source = new Source(bytes);
      const isSmall = () => source.ended && source.bytes <= KEEP_AFTER_BYTES;
      try {
        return await this.#pool.lend((worker) => this.#converse(new Conversation(worker), source, start), isSmall);
      } catch (error) {
        throw isOutOfMemory(error)
          ? new ServiceError({ reason: 'reading_out_of_memory', max_mb: this.#heapMb })
          : error;
      } finally {
        await source.close();
      }
    });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #converse(talk: Conversation, source: Source, start: ToReader): Promise<EncodedProfile> {
    const timers: NodeJS.Timeout[] = [];
    const limit = (ms: number) => timers.push(setTimeout(() => talk.fail(tookTooLong(ms)), ms));
    limit(this.#timeLimitMs);
    source.onEnd = () => {
      const sheetMs = this.#sheetMs(source);
      if (sheetMs !== undefined) limit(sheetMs);
    };
    try {
      talk.say(start);
      for (;;) {
        const said = fromReaderSchema.parse(await talk.next());
        if (said.kind === 'profile') return said.profile;
        if (said.kind === 'refused') throw new ServiceError(said.params);
        if (said.kind === 'failed') throw new Error(`an upload could not be read: ${said.fault}`);
        sendChunk(talk, await source.next());
      }
    } finally {
      for (const timer of timers) clearTimeout(timer);
      talk.close();
    }
  }

  /** Undefined for text, which is parsed while it arrives. */
  #sheetMs({ head, bytes }: Source): number | undefined {
    for (const kind of ['zip', 'records'] as const) {
      if (!SHEET_BEGINS[kind].every((byte, index) => head[index] === byte)) continue;
      const { startMs, msPerMb } = this.#sheetLimits[kind];
      return Math.round(startMs + (msPerMb * bytes) / 2 ** 20);
    }
    return undefined;
  }
}

const tookTooLong = (limitMs: number): ServiceError =>
  new ServiceError({ reason: 'reading_out_of_time', seconds: Math.round(limitMs / 100) / 10 });

const HEAD_BYTES = 4;

class Source {
  bytes = 0;
  ended = false;
  head = new Uint8Array(0);
  onEnd: () => void = () => undefined;
  readonly #chunks: AsyncIterator<Uint8Array>;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async next(): Promise<Uint8Array | undefined> {
    const next = await this.#chunks.next();
    this.ended = next.done === true;
    if (next.done) {
      this.onEnd();
      return undefined;
    }
    if (this.head.length < HEAD_BYTES) {
      this.head = Uint8Array.from([...this.head, ...next.value.subarray(0, HEAD_BYTES - this.head.length)]);
    }
    this.bytes += next.value.byteLength;
    return next.value;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
