import type { z } from 'zod';
import { JobError, ServiceError } from '../../contract/errors.ts';
import type { JobEvent } from '../../contract/events.ts';
import { openEngine } from '../../numerics/tensor/engines/openEngine.ts';
import { problemText } from '../../words/problems.ts';
import type { OpenTextResources } from '../models/model.ts';
import { readTextBase } from '../models/text/base/readTextBase.ts';
import { asNamed } from '../models/text/startNetwork.ts';
import { cpuMs, createProgress, type Progress } from '../progress.ts';
import { compactBase } from './compactBase.ts';

/** Progress and cancellation of a call. */
export interface WorkOptions {
  /** Called and awaited after each step. Throwing stops the work. */
  onEvent?: ((event: JobEvent) => unknown) | undefined;
  /** Stops the work, rejects with the signal's reason, and closes threads and files. */
  signal?: AbortSignal | undefined;
}

/** Options for reading a table. */
export interface ReadOptions extends WorkOptions {
  /** Encoding of a text file that is neither UTF-8 nor marked UTF-16, such as `windows-1252` (see POST /upload). */
  encoding?: string | undefined;
}

/** Options of `synthesize`. */
export interface SynthesizeOptions extends WorkOptions {
  /**
   * A whole number from 0 to 2^53 - 1, random by default. The same table, request, seed and version give the same rows.
   */
  seed?: number | undefined;
  /** Files of a base language model by name (GGUF, or safetensors with tokenizer), instead of the small one. */
  textBase?: ReadonlyMap<string, Uint8Array> | undefined;
  /** Opens the engine for text models, instead of ONNX Runtime and `textBase`. */
  openText?: OpenTextResources | undefined;
}

export interface Work {
  progress: Progress;
  check(): void;
}

/** Rejects with the signal's reason as soon as it is aborted. */
export async function working<T>({ onEvent, signal }: WorkOptions, task: (work: Work) => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  const check = () => signal?.throwIfAborted();
  const before = process.cpuUsage();
  const progress = createProgress({
    cpu: () => cpuMs(before),
    now: () => performance.now(),
    stopIfAsked: check,
    onEvent: onEvent ?? (() => {}),
  });
  if (!signal) return task({ progress, check }).catch(throwInWords);
  const over = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([task({ progress, check }).catch(throwInWords), stopped]);
  } finally {
    over.abort();
  }
}

/** Rethrows known errors with a message for library callers. */
export function throwInWords(error: unknown): never {
  if (!(error instanceof ServiceError || error instanceof JobError) || error.message !== error.params.reason)
    throw error;
  const options = { field: error.field, cause: error, message: problemText(error, 'library') };
  throw error instanceof ServiceError ? new ServiceError(error.params, options) : new JobError(error.params, options);
}

/** Opens the engine on first use. */
export function textOpenerOf({ openText, textBase }: SynthesizeOptions): OpenTextResources {
  const open: OpenTextResources = async () => ({
    engine: await openEngine('auto'),
    ...(textBase ? asNamed(readTextBase(textBase)) : { base: null, compact: await compactBase() }),
    baseProblem: null,
  });
  let opened: ReturnType<OpenTextResources> | undefined;
  return () => {
    opened ??= (openText ?? open)();
    return opened;
  };
}

/** Throws ServiceError `invalid_parameter`, with `field` for values that are not objects. */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, field = ''): z.output<Schema> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message, input }) => ({
    field: path.join('.') || field || 'request',
    rule: message,
    found: shown(input),
  }));
  throw new ServiceError({ reason: 'fields_invalid', faults });
}

const SHOWN = 80;

function shown(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null;
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
