import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryRule {
  isPassing(error: unknown): boolean;
  tries: number;
  /** The first wait is random below this (milliseconds), each later one below twice as much. */
  firstWaitMs: number;
  maxWaitMs: number;
}

/** Runs `work` again where it throws what passes by itself, after a random wait ("full jitter"). Throws the last error. */
export async function withRetries<T>(rule: RetryRule, work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (tried >= rule.tries || !rule.isPassing(error)) throw error;
      await sleep(Math.random() * Math.min(rule.maxWaitMs, rule.firstWaitMs * 2 ** (tried - 1)));
    }
  }
}
