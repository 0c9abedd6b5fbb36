/** Reports progress and stops work on request. */

import type { JobEvent } from '../contract/events.ts';
import type { OnProgress } from './models/model.ts';

export interface Progress {
  /** Yields. Throws if the job was stopped. */
  onProgress: OnProgress;
  /** As above, without an event. */
  yieldToEventLoop(): Promise<void>;
}

/** Yields and can be stopped, but reports nothing. */
export const quiet = ({ yieldToEventLoop }: Pick<Progress, 'yieldToEventLoop'>): Progress => ({
  onProgress: yieldToEventLoop,
  yieldToEventLoop,
});

export interface ProgressTask {
  /** CPU time of the process (ms). */
  cpu(): number;
  /** Clock (ms). */
  now(): number;
  stopIfAsked(): void;
  /** Awaited. Throwing stops the work. */
  onEvent(event: JobEvent): unknown;
}

/** Adds seconds to events, and CPU seconds to the last. */
export function createProgress({ cpu, now, stopIfAsked, onEvent }: ProgressTask): Progress {
  const start = now();
  const yieldToEventLoop = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    stopIfAsked();
  };
  const onProgress: OnProgress = async (event) => {
    await yieldToEventLoop();
    const seconds = inSeconds(now() - start);
    await onEvent(
      event.fact === 'finished' ? { ...event, seconds, cpu_seconds: inSeconds(cpu()) } : { ...event, seconds },
    );
  };
  return { onProgress, yieldToEventLoop };
}

const inSeconds = (ms: number): number => Math.round(Math.max(0, ms) / 100) / 10;

/** CPU time since `before`, or the process's start (ms). */
export function cpuMs(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
