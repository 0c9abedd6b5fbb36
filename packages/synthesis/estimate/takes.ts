import type { Cost, Estimate, Span, Stage } from '../../contract/replies.ts';
import type { Machine } from './machine.ts';
import { type MachinePrices, priceOf } from './sizes.ts';

export interface Place {
  prices?: MachinePrices | null;
  machine?: Machine;
}

export interface StageCost {
  stage: Stage;
  /** CPU seconds on the reference machine. */
  cpu: number;
  /** CPU seconds that up to `threads` threads share. */
  shared: number;
  threads: number;
  why: string;
}

export const ALONE = { shared: 0, threads: 1 } as const;

export interface Takes {
  seconds: number;
  cpu: number;
}

export function takenBy(
  stages: readonly Pick<StageCost, 'cpu' | 'shared' | 'threads'>[],
  { cores, speed }: Machine,
): Takes {
  let [seconds, cpu] = [0, 0];
  for (const own of stages) {
    cpu += own.cpu / speed;
    seconds += (own.cpu - own.shared + own.shared / Math.min(cores, own.threads)) / speed;
  }
  return { seconds, cpu };
}

export const stagesOn = (stages: readonly StageCost[], machine: Machine): Estimate['stages'] =>
  stages.map(({ stage, why, ...own }) => {
    const { seconds, cpu } = takenBy([own], machine);
    return { stage, seconds: rounded(seconds), cpu_seconds: rounded(cpu), why };
  });

/** Ranges for most jobs. Wall time varies more with sharing of cores. */
const CPU_RANGE = { low: 0.75, high: 1.25 } as const;
const TIME_RANGE = { low: 0.65, high: 1.5 } as const;

/** Rounds to 0.01 cents. */
export const costIn = (prices: MachinePrices | null, seconds: number, hasText: boolean): Cost =>
  prices && { usd: Math.round(10_000 * priceOf(prices, seconds, hasText)) / 10_000, assumes: prices.assumes };

export const spansOf = ({ seconds, cpu }: Takes): Record<'seconds' | 'cpu_seconds', Span> => ({
  seconds: spanOf(seconds, TIME_RANGE),
  cpu_seconds: spanOf(cpu, CPU_RANGE),
});

const spanOf = (expected: number, { low, high }: { low: number; high: number }): Span => ({
  expected: rounded(expected),
  low: rounded(low * expected),
  high: rounded(high * expected),
});

export const rounded = (value: number): number => (value < 10 ? Math.ceil(10 * value) / 10 : Math.round(value));
