/** How work reports its progress, and where it finds that it must stop. */

import type { JobEvent } from '../../contract/events.ts';
import type { OnProgress } from '../models/model.ts';

export interface Progress {
  /** Takes an event, and yields to the event loop; throws where the work is to stop. */
  onProgress: OnProgress;
  /** The same without an event. */
  yieldToEventLoop(): Promise<void>;
}

export interface ProgressTask {
  /** Milliseconds, from any moment on. */
  now(): number;
  /** Throws where the work is to stop. */
  stopIfAsked(): void;
  /** Is waited for. What it throws stops the work. */
  onEvent(event: JobEvent): unknown;
}

/** Gives events the seconds since this call, with one decimal. */
export function createProgress({ now, stopIfAsked, onEvent }: ProgressTask): Progress {
  const start = now();
  const seconds = (): number => Math.round(Math.max(0, now() - start) / 100) / 10;
  const yieldToEventLoop = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    stopIfAsked();
  };
  const onProgress: OnProgress = async (event) => {
    await yieldToEventLoop();
    await onEvent({ ...event, seconds: seconds() });
  };
  return { onProgress, yieldToEventLoop };
}
