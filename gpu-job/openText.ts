/** Opens engine and base language model on first use. */

import { z } from 'zod';
import { readTextBaseFiles } from '../adapters/local/fileObjectStore.ts';
import { localGpu } from '../adapters/local/localGpu.ts';
import { JobError } from '../packages/contract/errors.ts';
import { BACKENDS, type Backend } from '../packages/numerics/tensor/backends.ts';
import { openEngine } from '../packages/numerics/tensor/engines/openEngine.ts';
import type { TensorEngine } from '../packages/numerics/tensor/graph.ts';
import { compactBase } from '../packages/synthesis/library/compactBase.ts';
import type { OpenTextResources, TextResources } from '../packages/synthesis/models/model.ts';
import { isBaseFile, readTextBase } from '../packages/synthesis/models/text/base/readTextBase.ts';
import { TextBaseError } from '../packages/synthesis/models/text/base/textBase.ts';
import type { CheckpointStore } from '../packages/synthesis/models/text/network/checkpoint.ts';
import { asNamed } from '../packages/synthesis/models/text/startNetwork.ts';
import { ENV, NO_TEXT_BASE } from '../service/job/environment.ts';
import { attemptPrefix, readObject } from '../service/job/objectKeys.ts';
import type { ObjectStore } from '../service/ports.ts';

export interface TextSettings {
  backend: Backend;
  hasGpu(): Promise<boolean>;
  basePath: string | null;
  /** Fallback to the package's small base. */
  hasCompact: boolean;
  /** Returns the wanted files by name; undefined if nothing exists. */
  readFiles(path: string, isWanted: (name: string) => boolean): Promise<ReadonlyMap<string, Uint8Array> | undefined>;
  checkpoints?: CheckpointStore;
}

export function textOpener(settings: TextSettings): OpenTextResources {
  const open = async () => ({
    engine: await openInstalledEngine(settings),
    ...(await openBase(settings)),
    ...(settings.checkpoints && { checkpoints: settings.checkpoints }),
  });
  let opened: ReturnType<typeof open> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}

/** Throws JobError (no_compute) if the engine does not start or its optional package is missing. */
async function openInstalledEngine({ backend, hasGpu }: TextSettings): Promise<TensorEngine> {
  try {
    return await openEngine(backend, { hasGpu: await hasGpu() });
  } catch (error) {
    const problem = isMissingPackage(error)
      ? ({ reason: 'engine_missing', package: packageOf(backend) } as const)
      : ({ reason: 'engine_not_started', backend } as const);
    throw new JobError(problem, { cause: error });
  }
}

const packageOf = (backend: Backend): string =>
  backend === 'tfjs-gpu' ? '@tensorflow/tfjs-node-gpu' : 'onnxruntime-node';

const isMissingPackage = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && error.code === 'ERR_MODULE_NOT_FOUND') || isMissingPackage(error.cause));

/** An unreadable base falls back to the small one, with a note. */
async function openBase({ basePath, hasCompact, readFiles }: TextSettings): Promise<Omit<TextResources, 'engine'>> {
  const own = async () => (hasCompact ? { base: null, compact: await compactBase() } : { base: null });
  if (basePath === null) return { ...(await own()), baseProblem: null };
  try {
    const files = await readFiles(basePath, isBaseFile);
    return { ...(files ? asNamed(readTextBase(files)) : await own()), baseProblem: null };
  } catch (error) {
    if (error instanceof TextBaseError) return { ...(await own()), baseProblem: error.message };
    throw error;
  }
}

/** Stored with the attempt, which Batch may resume on another machine. */
export function checkpointsIn(
  objects: ObjectStore,
  jobId: string,
  attempt: number,
): CheckpointStore & { erase(): Promise<void> } {
  const key = `${attemptPrefix(jobId, attempt)}text-checkpoint`;
  return {
    load: () => readObject(objects, key),
    save: async (bytes) => void (await objects.put(key, bytes)),
    erase: () => objects.erase(key),
  };
}

export const textEnvironment = {
  [ENV.tensorBackend]: z.enum(BACKENDS).default('auto'),
  [ENV.textBase]: z.string().default(''),
};

const schema = z.object(textEnvironment);

export const textSettings = (environment: z.output<typeof schema>): TextSettings => ({
  backend: environment[ENV.tensorBackend],
  hasGpu: async () => (await localGpu()).available,
  basePath: environment[ENV.textBase] === NO_TEXT_BASE ? null : environment[ENV.textBase] || null,
  hasCompact: environment[ENV.textBase] !== NO_TEXT_BASE,
  readFiles: readBaseFiles,
});

async function readBaseFiles(path: string, isWanted: (name: string) => boolean) {
  if (!path.startsWith('s3://')) return readTextBaseFiles(path, isWanted);
  const { readTextBaseObjects } = await import('../adapters/aws/s3ObjectStore.ts');
  return readTextBaseObjects(path, isWanted);
}
