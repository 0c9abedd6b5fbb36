/** The roles that a request names, or the suggested ones where it asks for those. */
import { z } from 'zod';
import type { SyntheticTables } from '../../client/client.ts';
import { type RoleFields, roleFields, suggestedRoles } from '../../client/roles.ts';

export const takesAuto = z
  .boolean()
  .default(false)
  .describe(
    'Take the suggested role for every column, but target_col for the target where it is given; the other lists are not looked at.',
  );

export async function chosenRoles(
  service: SyntheticTables,
  { job_id, target_col, continuous_cols, categorical_cols, text_cols }: RoleFields & { job_id: string },
  auto: boolean,
  signal: AbortSignal,
): Promise<RoleFields> {
  if (!auto) return { target_col, continuous_cols, categorical_cols, text_cols };
  return roleFields(suggestedRoles(await service.columns(job_id, { signal }), target_col ?? undefined));
}
