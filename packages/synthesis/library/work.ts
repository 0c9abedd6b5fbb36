/** What is common to the library's calls: events, stopping, and models of text. */
import type { z } from 'zod';
import { JobError, ServiceError } from '../../contract/errors.ts';
import type { JobEvent } from '../../contract/events.ts';
import { openEngine } from '../../numerics/tensor/engines/openEngine.ts';
import { problemText } from '../../words/problems.ts';
import type { OpenTextResources } from '../models/model.ts';
import { readTextBase } from '../models/text/base/readTextBase.ts';
import { asNamed } from '../models/text/startNetwork.ts';
import { cpuMs, createProgress, type Progress } from '../pipeline/progress.ts';
import { compactBase } from './compactBase.ts';

/** How a call reports progress, and what stops it. */
export interface WorkOptions {
  /** Is called with each step as it is done, and awaited; what it throws ends the work. */
  onEvent?: ((event: JobEvent) => unknown) | undefined;
  /** Ends the work: the promise is rejected with its reason at once, and threads and files are closed. */
  signal?: AbortSignal | undefined;
}

/** How a table is read that is given as a file; each may be left out. */
export interface ReadOptions extends WorkOptions {
  /** The encoding of a text file that is neither UTF-8 nor marked as UTF-16, such as `windows-1252`: see POST /upload. */
  encoding?: string | undefined;
}

/** What a table is made with; each may be left out. */
export interface SynthesizeOptions extends WorkOptions {
  /** A whole number from 0 to 2^53 - 1. The same table, request, seed and version give the same rows; drawn where left out. */
  seed?: number | undefined;
  /** Files of a base language model by name (GGUF, or safetensors with its tokenizer), in place of the small one of the package. */
  textBase?: ReadonlyMap<string, Uint8Array> | undefined;
  /** Opens what models of text run on, in place of ONNX Runtime and `textBase`. */
  openText?: OpenTextResources | undefined;
}

export interface Work {
  progress: Progress;
  /** Throws the signal's reason where the work is to stop. */
  check(): void;
}

/** Runs `task` and rejects with the signal's reason as soon as it is aborted, whatever the task is at. */
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

/** A refusal or a failure with a message for whoever calls the library; anything else as it is. */
export function throwInWords(error: unknown): never {
  if (!(error instanceof ServiceError || error instanceof JobError) || error.message !== error.params.reason)
    throw error;
  const options = { field: error.field, cause: error, message: problemText(error, 'library') };
  throw error instanceof ServiceError ? new ServiceError(error.params, options) : new JobError(error.params, options);
}

/** Opened once, when a model of text first asks. */
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

/** What a caller gave, checked. Throws ServiceError `invalid_parameter`, of `field` where the value is no object. */
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

/** Null for what has no short text. */
function shown(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null;
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
