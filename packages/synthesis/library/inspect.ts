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

/** A table's profile and suggested request. */
export interface TableInspection {
  rows: number;
  /** Contents and `suggested_role` of each column. */
  columns: readonly ColumnProfile[];
  /** Problems such as duplicate names and short rows. */
  warnings: readonly string[];
  /** Relations between columns. */
  relations: readonly Relation[];
  /** First rows as in the file; null for missing cells. */
  preview: readonly (readonly (string | null)[])[];
  /** Suggested target with a reason; null if none is sensible. */
  suggested_target: SuggestedTarget | null;
  /** Suggested key of rows that belong together, and column that orders them; null if every row is separate. */
  suggested_entity: SuggestedEntity | null;
  /** The suggested roles, for `synthesize`. */
  request: RoleFields;
  /**
   * Estimates time on this machine (s), CPU time (s) and memory (MB) of `synthesize`, and a cheaper plan. Throws as
   * `synthesize` does.
   */
  estimate(request: TableRequestBody): Estimate;
  /** Estimates `compare` with this real table; `rows` are those of the others. Throws as `compare` does. */
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

/** Reads a table and suggests column roles. Throws ServiceError if it is unreadable. */
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
