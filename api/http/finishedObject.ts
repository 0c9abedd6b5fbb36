/** A small object that lies beside a finished job's result. */
import { ServiceError } from '../../domain/errors.ts';
import type { Job } from '../../domain/job/job.ts';
import { readObject } from '../../domain/job/readObject.ts';
import type { ApiContext } from './context.ts';
import { erased, whyNoResult } from './noResult.ts';

/** Throws `no_result` where the job is not done, its result was erased, or it was run before there was such an object. */
export async function finishedObject(c: ApiContext, job: Job, key: string): Promise<string> {
  if (job.state !== 'done') throw new ServiceError('no_result', whyNoResult(job));
  const { objects, settings } = c.get('service');
  const bytes = await readObject(objects, key);
  if (!bytes) throw new ServiceError('no_result', erased(settings.resultRetentionHours));
  return new TextDecoder().decode(bytes);
}
