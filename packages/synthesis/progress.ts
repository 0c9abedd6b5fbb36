/** How work reports its progress, and where it finds that it must stop. */

import type { JobEvent } from '../contract/events.ts';
import type { OnProgress } from './models/model.ts';

export interface Progress {
  /** Takes an event, and yields to the event loop; throws where the work is to stop. */
  onProgress: OnProgress;
  /** The same without an event. */
  yieldToEventLoop(): Promise<void>;
}

export interface ProgressTask {
  /** CPU milliseconds that the process has used, over all cores. */
  cpu(): number;
  /** Milliseconds, from any moment on. */
  now(): number;
  /** Throws where the work is to stop. */
  stopIfAsked(): void;
  /** Is waited for. What it throws stops the work. */
  onEvent(event: JobEvent): unknown;
}

/** Gives events the seconds since this call, with one decimal, and the last one the CPU seconds, too. */
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

/** CPU milliseconds of this process since `before`, all of its life if not given. */
export function cpuMs(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
