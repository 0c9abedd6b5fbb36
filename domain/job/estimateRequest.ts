import { checkCallbackUrl } from '../callback/checkCallbackUrl.ts';
import { estimateJob } from '../estimate/estimateJob.ts';
import type { Estimate } from '../schema/estimate.ts';
import type { GenerateRequest } from '../schema/generateRequest.ts';
import type { Service } from '../service.ts';
import { checkRequest } from './checkRequest.ts';
import { findJob } from './findJob.ts';
import { loadProfile } from './loadProfile.ts';

/**
 * What the request would take, from the upload's profile; nothing is started, whatever the job's state. Throws
 * `invalid_job` (400) and what `checkRequest` throws, as the start of the job would.
 */
export async function estimateRequest(
  service: Service,
  keyId: string,
  request: GenerateRequest,
  callbackUrl: string | null = null,
): Promise<Estimate> {
  const job = await findJob(service, keyId, request.job_id, 400);
  const profile = await loadProfile(service, job);
  checkRequest(request, profile);
  if (callbackUrl !== null) checkCallbackUrl(callbackUrl, service.settings.callbackAddresses ?? 'public');
  return estimateJob(profile, request, service.settings.prices ?? null);
}
