/** Tools that say what the columns of an upload are. */
import { z } from 'zod';
import type { UploadReply } from '../../packages/client/contract.ts';
import { jobIdSchema } from '../../packages/contract/requests.ts';
import { counted } from '../../packages/words/wording.ts';
import { defineTool } from '../tool.ts';

// An upload in words: what its columns are and what the service suggests.

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
    `job_id ${job_id}: ${counted(rows, 'row')}, ${counted(columns.length, 'column')}.`,
    ...columns.map(
      ({ name, kind, suggested_role, reason, missing }) =>
        `- ${JSON.stringify(name)}: ${kind}, suggested role ${suggested_role} (${reason}${missing > 0 ? `; ${missing} missing` : ''})`,
    ),
    ...relations.map((sentence) => `Relation: ${sentence}`),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
  return { text: lines.join('\n'), data: { job_id, rows, columns, relations, warnings } };
}

export const uploadTable = defineTool({
  name: 'upload_table',
  title: 'Upload a table',
  description:
    'Uploads a real table and creates a job for it. Give a CSV file as text, or any CSV or Excel file (.csv, .xlsx, .xls) as base64. Answers with the job_id, what each column is, and its suggested role. Next: generate.',
  input: {
    file_name: z
      .string()
      .default('table.csv')
      .describe('The extension gives the format: .csv, .xlsx or .xls; table.csv by default.'),
    text: z.string().optional().describe('The file as text: a header line, then one row per line.'),
    base64: z.base64().optional().describe('The bytes of the file in base64, instead of text; needed for Excel files.'),
  },
  output: columnsOutput,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run(service, { file_name, text, base64 }, { signal }) {
    const bytes = base64 === undefined ? (text ?? '') : new Uint8Array(Buffer.from(base64, 'base64'));
    return describeColumns(await service.upload(bytes, file_name, { signal }));
  },
});

export const inspectColumns = defineTool({
  name: 'inspect_columns',
  title: 'Inspect the columns of an upload',
  description:
    'The answer of upload_table, again: kind, evidence, missing and distinct cells of each column, the suggested roles, and relations between columns.',
  input: { job_id: jobIdSchema },
  output: columnsOutput,
  annotations: { readOnlyHint: true, openWorldHint: false },
  run: async (service, { job_id }, { signal }) => describeColumns(await service.columns(job_id, { signal })),
});
