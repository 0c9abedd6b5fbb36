/** An upload in words: what its columns are and what the service suggests. */
import { z } from 'zod';
import type { UploadReply } from '../client/contract.ts';

/** Loose: a later service may say more. */
export const columnsOutput = {
  job_id: z.string(),
  rows: z.int(),
  columns: z.array(
    z.looseObject({
      name: z.string(),
      kind: z.string(),
      suggested_role: z.string(),
      reason: z.string(),
      missing: z.int(),
      distinct: z.int(),
    }),
  ),
  relations: z.array(z.string()),
  warnings: z.array(z.string()),
};

export function describeColumns(upload: UploadReply) {
  const columns = upload.profile.columns.map(({ name, kind, suggested_role, evidence, missing, distinct }) => ({
    ...{ name, kind, suggested_role, missing, distinct },
    reason: evidence.join('; '),
  }));
  const relations = upload.profile.relations.map(({ sentence }) => sentence);
  const { job_id, n_rows: rows, warnings } = upload;
  const lines = [
    `job_id ${job_id}: ${rows} rows, ${columns.length} columns.`,
    ...columns.map(
      ({ name, kind, suggested_role, reason, missing }) =>
        `- ${JSON.stringify(name)}: ${kind}, suggested role ${suggested_role} (${reason}${missing > 0 ? `; ${missing} missing` : ''})`,
    ),
    ...relations.map((sentence) => `Relation: ${sentence}`),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
  return { text: lines.join('\n'), data: { job_id, rows, columns, relations, warnings } };
}
