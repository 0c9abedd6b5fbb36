/** What a request is refused with, beside a profile. */
import { ServiceError } from '../../../packages/contract/errors.ts';
import { type GenerateRequestBody, generateRequestSchema } from '../../../packages/contract/requests.ts';
import { checkRequest } from '../../../packages/synthesis/request/checkRequest.ts';
import type { Profile } from '../../../packages/tables/profile/profile.ts';

/** Undefined where nothing is wrong with it. */
export function refusalOf(body: Partial<GenerateRequestBody>, profile: Profile): ServiceError | undefined {
  try {
    checkRequest(generateRequestSchema.parse({ job_id: 'a', ...body }), profile);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
