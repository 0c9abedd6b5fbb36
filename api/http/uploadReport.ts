/** What POST /upload answers, and GET /jobs/{job_id}/columns again. */
import { pictureOf } from '../../domain/profile/pictureOf.ts';
import type { ColumnProfile, Profile } from '../../domain/profile/profile.ts';
import type { UploadReply } from '../../domain/schema/replies.ts';

/** `Object.fromEntries` makes own properties of any name: a column may be called `__proto__`. */
export const uploadReport = (jobId: string, profile: Profile, warnings: readonly string[] = []): UploadReply => ({
  job_id: jobId,
  columns: profile.columns.map((column) => column.name),
  col_types: Object.fromEntries(profile.columns.map((column) => [column.name, column.kind])),
  n_rows: profile.rows,
  warnings: [...profile.warnings, ...warnings],
  profile: {
    columns: profile.columns.map((column) => columnReport(column, profile.rows)),
    relations: profile.relations,
  },
});

const columnReport = (column: ColumnProfile, rows: number) => ({
  name: column.name,
  kind: column.kind,
  confidence: column.confidence,
  suggested_role: column.suggested_role,
  evidence: column.evidence,
  runner_up: column.runner_up,
  dress: column.dress,
  missing: column.missing,
  missing_tokens: column.missing_tokens,
  distinct: column.distinct,
  picture: pictureOf(column, rows),
});
