/** The tensor engine and the base language model of a job, opened when a model of text first asks for them. */
import { attemptPrefix } from '../domain/job/objectKeys.ts';
import { readObject } from '../domain/job/readObject.ts';
import type { ObjectStore } from '../domain/ports.ts';
import type { OpenTextResources } from './models/model.ts';
import { isBaseFile, readTextBase } from './models/text/base/readTextBase.ts';
import { type TextBase, TextBaseError } from './models/text/base/textBase.ts';
import type { CheckpointStore } from './models/text/network/checkpoint.ts';
import { type Backend, openEngine } from './tensor/engines/openEngine.ts';

export interface TextSettings {
  backend: Backend;
  hasGpu(): Promise<boolean>;
  /** Where the base lies; null where there is none to be used. */
  basePath: string | null;
  /** Files at a path by name, those alone that are wanted; undefined where nothing lies there. */
  readFiles(path: string, isWanted: (name: string) => boolean): Promise<ReadonlyMap<string, Uint8Array> | undefined>;
  checkpoints: CheckpointStore;
}

export function textOpener(settings: TextSettings): OpenTextResources {
  const open = async () => ({
    engine: await openEngine(settings.backend, await settings.hasGpu()),
    ...(await openBase(settings)),
    checkpoints: settings.checkpoints,
  });
  let opened: ReturnType<typeof open> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}

/** A base that cannot be read is no reason to fail: text is written without it, and a note says why. */
async function openBase({
  basePath,
  readFiles,
}: TextSettings): Promise<{ base: TextBase | null; baseProblem: string | null }> {
  if (basePath === null) return { base: null, baseProblem: null };
  try {
    const files = await readFiles(basePath, isBaseFile);
    return files ? { base: readTextBase(files), baseProblem: null } : { base: null, baseProblem: null };
  } catch (error) {
    if (error instanceof TextBaseError) return { base: null, baseProblem: error.message };
    throw error;
  }
}

/** A checkpoint among the objects of an attempt: Batch may begin an attempt again on another machine. */
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
