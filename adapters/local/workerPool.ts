/** Worker threads that are kept for a while after their work, since to start one takes longer than to read a small file. */
import { Worker } from 'node:worker_threads';

const IDLE_MS = 10_000;

export interface WorkerPoolOptions {
  entry: URL;
  heapMb: number;
  /** Idle workers kept, at most. */
  kept: number;
}

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #idle = new Map<Worker, NodeJS.Timeout>();

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** An idle worker, or a new one. */
  take(): Worker {
    const [idle] = this.#idle.keys();
    if (!idle) return this.#start();
    clearTimeout(this.#idle.get(idle));
    this.#idle.delete(idle);
    idle.ref();
    return idle;
  }

  /** For a worker that waits for its next work. */
  async giveBack(worker: Worker): Promise<void> {
    if (this.#idle.size >= this.#options.kept) return this.discard(worker);
    worker.unref();
    this.#idle.set(worker, setTimeout(() => void this.discard(worker), IDLE_MS).unref());
  }

  /** Ends a worker, whatever it does. */
  async discard(worker: Worker): Promise<void> {
    clearTimeout(this.#idle.get(worker));
    this.#idle.delete(worker);
    await worker.terminate();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#idle.keys()].map((worker) => this.discard(worker)));
  }

  #start(): Worker {
    const { entry, heapMb } = this.#options;
    const worker = new Worker(entry, {
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    // One that ends while it is idle is not taken again; while it works, its user listens too.
    worker.on('error', () => void this.discard(worker));
    worker.on('exit', () => void this.discard(worker));
    return worker;
  }
}
