/**
 * Rules for jobs with `privacy`: an assistant's answers leave the machine, so without `owner_figures` they contain only
 * results of differentially private measurements.
 */
import { z } from 'zod';
import type { SyntheticTables } from '../packages/client/client.ts';
import type { StatusReply } from '../packages/client/contract.ts';
import { RefusedError } from '../packages/client/errors.ts';
import { isForOwner, shareableStatus } from '../packages/words/shareable.ts';
import { ArgumentError } from './tool.ts';

export const takesOwnerFigures = {
  owner_figures: z
    .boolean()
    .default(false)
    .describe(
      'For a job with privacy: also answer with what compares with its real rows, which is for the owner of the file alone and voids the promise if it is passed on. Ask the user first; false by default.',
    ),
};

export interface Asking {
  tool: string;
  jobId: string;
  ownerFigures: boolean;
  signal: AbortSignal;
}

/** Throws ArgumentError `figures_for_owner` for a comparison with a private job's file. */
export async function statusFor(service: SyntheticTables, asking: Asking): Promise<StatusReply> {
  const found = await service.status(asking.jobId, { signal: asking.signal });
  return readable(service, found, asking);
}

export async function readable(service: SyntheticTables, found: StatusReply, asking: Asking): Promise<StatusReply> {
  if (asking.ownerFigures) return found;
  for (const jobId of [found.compared_with, found.holdout_job_id])
    if (jobId !== undefined) await refuseForOwner(service, { ...asking, jobId });
  return shareableStatus(found);
}

/** Throws ArgumentError `figures_for_owner` for a private job without the user's permission. */
export async function refuseForOwner(service: SyntheticTables, asking: Asking): Promise<void> {
  if (!asking.ownerFigures && (await isPrivateJob(service, asking)))
    throw new ArgumentError({ reason: 'figures_for_owner', tool: asking.tool });
}

/** False if the job is gone. */
export async function isPrivateJob(
  service: SyntheticTables,
  { jobId, signal }: Pick<Asking, 'jobId' | 'signal'>,
): Promise<boolean> {
  try {
    return isForOwner(await service.status(jobId, { signal }));
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'invalid_job') return false;
    throw error;
  }
}

export const OWNER_HINT =
  'This job keeps differential privacy: figures that compare with its real rows are for the owner of the file alone and are not shown. With the permission of the user, owner_figures: true shows them.';
