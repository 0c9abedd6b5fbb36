/** inspect: a table read, roles for its columns, and what would be done with it. */
import type { ColumnProfile, Relation, SuggestedEntity, SuggestedTarget } from '../../contract/columns.ts';
import type { Estimate } from '../../contract/replies.ts';
import { type TableRequest, type TableRequestBody, tableRequestSchema } from '../../contract/requests.ts';
import { type RoleFields, roleFields, suggestedRoles } from '../../contract/roles.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { profileUpload } from '../../tables/profile/profileUpload.ts';
import { type ComparedRows, estimateComparison } from '../estimate/estimateComparison.ts';
import { estimateJob } from '../estimate/estimateJob.ts';
import { thisMachine } from '../estimate/machine.ts';
import { checkRequest } from '../request/checkRequest.ts';
import { fileOf, type TableSource } from './source.ts';
import { encodingIn, withRoles } from './synthesize.ts';
import { parsed, type ReadOptions, throwInWords, working } from './work.ts';

/** What was read from a table, and the request that is suggested for it. */
export interface TableInspection {
  rows: number;
  /** What each column holds, and the role that is suggested for it (`suggested_role`). */
  columns: readonly ColumnProfile[];
  /** Warnings from reading the table: names given twice, short rows, and the like. */
  warnings: readonly string[];
  /** What columns say of each other. */
  relations: readonly Relation[];
  /** The table's first rows, cells as in the file; null is a missing cell. */
  preview: readonly (readonly (string | null)[])[];
  /** The column that is suggested as the target, and why; null where none is sensible. */
  suggested_target: SuggestedTarget | null;
  /** The key whose rows belong together, and the column that has them in their order; null where each row stands alone. */
  suggested_entity: SuggestedEntity | null;
  /** The suggested roles, as `synthesize` takes them. */
  request: RoleFields;
  /** Seconds on this machine, CPU seconds and megabytes that `synthesize` would take, and a plan that takes less. Throws as `synthesize` does. */
  estimate(request: TableRequestBody): Estimate;
  /** The same of `compare`, where this is the real table; `rows` are those of the tables beside it. Throws as `compare` does. */
  estimateComparison(request: TableRequestBody, rows: ComparedRows): Estimate;
}

function estimatesOf(profile: Profile): Pick<TableInspection, 'estimate' | 'estimateComparison'> {
  const checked = (body: TableRequestBody): TableRequest => {
    const asked = withRoles(parsed(tableRequestSchema, body), profile);
    checkRequest(asked, profile);
    return asked;
  };
  const inWords = (estimated: () => Estimate): Estimate => {
    try {
      return estimated();
    } catch (error) {
      return throwInWords(error);
    }
  };
  return {
    estimate: (body) => inWords(() => estimateJob(profile, checked(body), { machine: thisMachine() })),
    estimateComparison: (body, rows) =>
      inWords(() =>
        estimateComparison(profile, checked({ ...body, allow_few_rows: true }), rows, { machine: thisMachine() }),
      ),
  };
}

/** Reads a table and suggests what to do with its columns. Throws ServiceError where it cannot be read. */
export function inspect(
  table: TableSource,
  options: Pick<ReadOptions, 'signal' | 'encoding'> = {},
): Promise<TableInspection> {
  return working(options, async ({ check }) => {
    const file = await fileOf(table, check);
    const profile = await profileUpload(file.bytes(), file.name, encodingIn(options));
    const { rows, columns, warnings, relations, preview = [] } = profile;
    const { suggested_target = null, suggested_entity = null } = profile;
    const request = roleFields(suggestedRoles({ profile }));
    const found = { rows, columns, warnings, relations, preview, suggested_target, suggested_entity, request };
    return { ...found, ...estimatesOf(profile) };
  });
}
