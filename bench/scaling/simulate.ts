/**
 * The service at a limit of running jobs, as clients meet it: a job that comes takes a slot or is told 429 and asks again
 * after Retry-After; with a slot it waits for a machine, runs, and frees the slot. Discrete events, one seed.
 */
import { createStream } from '../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../packages/numerics/random/stream.ts';
import { EventQueue } from './eventQueue.ts';
import type { ScaleInputs } from './inputs.ts';
import { MachinePool } from './machinePool.ts';

export interface Load {
  /** The slot limit. */
  limit: number;
  jobs: number;
  /** Jobs an hour, at random; undefined: all at once. */
  perHour: number | undefined;
  seed: number;
}

export interface Outcome {
  /** From the first job's coming to the last one's end. */
  hours: number;
  jobsPerHour: number;
  /** Seconds from the first POST /generate to the start of the process: half of all jobs, and 19 of 20, wait less. */
  waitMedian: number;
  wait95: number;
  /** Of these, seconds for a slot. */
  slotWait95: number;
  /** 429s in the busiest second. */
  mostRefusals: number;
  gpusAtOnce: number;
  dollarsPerJob: number;
  /** Share of the machines' time in which a job ran. */
  gpuUse: number;
}

/** Slots, the 429s that clients got, and how long they waited. */
class SlotDesk {
  readonly waits: number[] = [];
  readonly refusals = new Map<number, number>();
  readonly #events: EventQueue;
  readonly #limit: number;
  readonly #retryAfter: number;
  #taken = 0;

  constructor(events: EventQueue, limit: number, retryAfter: number) {
    this.#events = events;
    this.#limit = limit;
    this.#retryAfter = retryAfter;
  }

  /** A client that came at `came` asks; `start` follows as soon as it gets a slot. */
  ask(came: number, start: () => void): void {
    const { now } = this.#events;
    if (this.#taken < this.#limit) {
      this.#taken += 1;
      this.waits.push(now - came);
      start();
      return;
    }
    this.refusals.set(Math.floor(now), (this.refusals.get(Math.floor(now)) ?? 0) + 1);
    this.#events.in(this.#retryAfter, () => this.ask(came, start));
  }

  free(): void {
    this.#taken -= 1;
  }
}

interface Arrival {
  at: number;
  hasText: boolean;
  seconds: number;
}

function* arrivals(inputs: ScaleInputs, { jobs, perHour }: Load, random: RandomStream): Generator<Arrival> {
  let at = 0;
  for (let i = 0; i < jobs; i++) {
    if (perHour !== undefined) at += (-Math.log(random.uniform()) / perHour) * 3600;
    const hasText = random.uniform() < inputs.textShare;
    const { median, spread } = hasText ? inputs.gpuRun : inputs.cpuRun;
    yield { at, hasText, seconds: median * Math.exp(spread * random.normal()) };
  }
}

export function simulate(inputs: ScaleInputs, load: Load): Outcome {
  const events = new EventQueue();
  const random = createStream(load.seed, 'scale');
  const gpu = new MachinePool(inputs.gpu, events, random.child('gpu'));
  const cpu = new MachinePool(inputs.cpu, events, random.child('cpu'));
  const desk = new SlotDesk(events, load.limit, inputs.retryAfter);
  const waits: number[] = [];
  let end = 0;
  const ended = () => {
    end = events.now;
    events.in(inputs.release, () => desk.free());
  };
  for (const { at, hasText, seconds } of arrivals(inputs, load, random.child('jobs'))) {
    const start = () => (hasText ? gpu : cpu).run(seconds, () => waits.push(events.now - at), ended);
    events.at(at, () => desk.ask(at, start));
  }
  events.run();
  return {
    hours: end / 3600,
    jobsPerHour: load.jobs / (end / 3600),
    waitMedian: quantile(waits, 0.5),
    wait95: quantile(waits, 0.95),
    slotWait95: quantile(desk.waits, 0.95),
    mostRefusals: Math.max(0, ...desk.refusals.values()),
    gpusAtOnce: gpu.most,
    dollarsPerJob: (gpu.dollars + cpu.dollars) / load.jobs + inputs.requestDollars,
    gpuUse: gpu.billed === 0 ? 0 : gpu.busy / gpu.billed,
  };
}

function quantile(values: number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))] ?? 0;
}

/** Jobs an hour where every slot is always taken: slots over the mean time that a job holds one. */
export function capacityPerHour(inputs: ScaleInputs, limit: number): number {
  const mean = ({ median, spread }: ScaleInputs['gpuRun']) => median * Math.exp(spread ** 2 / 2);
  const middle = ([least, most]: readonly [number, number]) => (least + most) / 2;
  const held =
    inputs.textShare * (mean(inputs.gpuRun) + middle(inputs.gpu.coldStart)) +
    (1 - inputs.textShare) * (mean(inputs.cpuRun) + middle(inputs.cpu.coldStart)) +
    inputs.release;
  return (limit / held) * 3600;
}
