import { detectFamily } from '../detect/detectFamily.ts';
import type { FamilyChoice } from '../schema/familyChoice.ts';
import type { Service } from '../service.ts';
import { findJob } from './findJob.ts';
import { loadProfile } from './loadProfile.ts';
import { findColumn, requireTarget } from './requestedColumns.ts';

/**
 * The family that `family: auto` selects for a target, from the profile alone. Throws `invalid_job` (400),
 * `column_not_found`, and `invalid_parameter` for a column that cannot be a target.
 */
export async function detectTargetFamily(
  service: Service,
  keyId: string,
  jobId: string,
  targetCol: string,
): Promise<FamilyChoice> {
  const job = await findJob(service, keyId, jobId, 400);
  const profile = await loadProfile(service, job);
  const column = findColumn(profile, targetCol, 'target_col');
  requireTarget(profile, column);
  return detectFamily(profile, column);
}
