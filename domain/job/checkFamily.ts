import { holdingRelative, misfitOf, supportWords, targetFacts } from '../detect/familySupport.ts';
import { ServiceError } from '../errors.ts';
import type { Profile } from '../profile/profile.ts';
import type { GenerateRequest } from '../schema/generateRequest.ts';
import { quoted } from '../table/wording.ts';
import { findColumn } from './requestedColumns.ts';

/**
 * Throws `invalid_parameter` where the request names a family that cannot hold a number of its target, with the number
 * and its row: from what the profile knows of all rows. `auto` chooses among those that can.
 */
export function checkFamily({ family, target_col }: GenerateRequest, profile: Profile): void {
  if (family === 'auto' || target_col === null) return;
  const facts = targetFacts(findColumn(profile, target_col, 'target_col'));
  const misfit = facts && misfitOf(family, facts);
  if (!misfit) return;
  throw new ServiceError(
    'invalid_parameter',
    `family: ${family} holds ${supportWords(family)}, but in column ${quoted(target_col)} ${misfit.found}. Name ${holdingRelative(family, facts)}, which holds every number of the column, or leave the choice to auto.`,
  );
}
