/** Tools that say what the columns of an upload are. */
import { z } from 'zod';
import type { UploadReply } from '../../packages/client/contract.ts';
import { MIN_LEVEL_ROWS } from '../../packages/contract/report.ts';
import { jobIdSchema } from '../../packages/contract/requests.ts';
import { UPLOAD_ENDINGS } from '../../packages/words/files.ts';
import { counted } from '../../packages/words/wording.ts';
import { defineTool } from '../tool.ts';

// An upload in words: what its columns are and what the service suggests. An assistant's answers leave the machine that the
// table may not leave: without `examples` nothing in them is a value of few rows.

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
  suggested_target: z.looseObject({ column: z.string(), reason: z.string() }).nullable(),
  relations: z.array(z.string()),
  warnings: z.array(z.string()),
};

export const takesExamples = {
  examples: z
    .boolean()
    .default(false)
    .describe(
      'Also answer with the evidence for each kind and with warnings: they quote cells, extremes and row numbers of the real table. Ask the user first; false by default.',
    ),
};

export const takesEncoding = {
  encoding: z
    .string()
    .optional()
    .describe(
      'The encoding of a text file that is not UTF-8, such as windows-1252: an encoding_error names the probable one.',
    ),
};

type Column = UploadReply['profile']['columns'][number];

export function describeColumns(upload: UploadReply, examples: boolean) {
  const columns = upload.profile.columns.map((column) => {
    const { name, kind, suggested_role, evidence, missing, distinct } = column;
    const reason = examples ? evidence.join('; ') : outline(column);
    return { name, kind, suggested_role, missing, distinct, reason };
  });
  const stated = upload.profile.relations.filter(({ kind }) => examples || kind !== 'missing_when');
  const relations = stated.map(({ sentence }) => sentence);
  const warnings = examples ? upload.warnings : [];
  const { job_id, n_rows: rows, suggested_target = null } = upload;
  const lines = [
    `job_id ${job_id}: ${counted(rows, 'row')}, ${counted(columns.length, 'column')}.`,
    ...columns.map(
      ({ name, kind, suggested_role, reason, missing }) =>
        `- ${JSON.stringify(name)}: ${kind}, suggested role ${suggested_role} (${reason}${missing > 0 ? `; ${missing} missing` : ''})`,
    ),
    suggested_target
      ? `Suggested target: ${JSON.stringify(suggested_target.column)} (${suggested_target.reason}).`
      : 'No target is suggested: without one, the table is made of the other columns alone.',
    ...relations.map((sentence) => `Relation: ${sentence}`),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...(upload.warnings.length > warnings.length ? [hint(upload.warnings.length)] : []),
  ];
  return { text: lines.join('\n'), data: { job_id, rows, columns, suggested_target, relations, warnings } };
}

const hint = (warnings: number): string =>
  `${counted(warnings, 'warning')}: the user finds ${warnings === 1 ? 'it' : 'them'} on the page of the service, or may allow examples.`;

/** What a column holds: levels of enough rows, and a rounded range without its ends. */
function outline({ picture, distinct }: Column): string {
  if (picture?.kind === 'levels') {
    const common = picture.levels.filter(([, rows]) => rows >= MIN_LEVEL_ROWS).slice(0, MAX_LEVELS);
    const names = common.map(([level]) => JSON.stringify(level));
    return `${counted(distinct, 'level')}${names.length > 0 ? `, such as ${names.join(', ')}` : ''}`;
  }
  if (picture?.kind !== 'quantiles') return `${counted(distinct, 'distinct value')}`;
  const at = (probability: number) => picture.values[picture.probabilities.indexOf(probability)];
  const [low, high] = [at(0.1), at(0.9)];
  if (low === undefined || high === undefined) return `${counted(distinct, 'distinct number')}`;
  return `${counted(distinct, 'distinct number')}, most from about ${rounded(low)} to ${rounded(high)}`;
}

const rounded = (value: number): string => String(Number(value.toPrecision(2)));

/** Levels that an outline names. */
const MAX_LEVELS = 8;

export const uploadTable = defineTool({
  name: 'upload_table',
  title: 'Upload a table',
  description: `Uploads a real table and creates a job for it. Give a CSV file as text, or any CSV or Excel file (${UPLOAD_ENDINGS}) as base64. Answers with the job_id, what each column is, and its suggested role. Next: generate.`,
  input: {
    file_name: z
      .string()
      .default('table.csv')
      .describe(`The extension gives the format: ${UPLOAD_ENDINGS}; table.csv by default.`),
    text: z.string().optional().describe('The file as text: a header line, then one row per line.'),
    ...takesExamples,
    ...takesEncoding,
    base64: z.base64().optional().describe('The bytes of the file in base64, instead of text; needed for Excel files.'),
  },
  output: columnsOutput,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run(service, { file_name, text, base64, encoding, examples }, { signal }) {
    const bytes = base64 === undefined ? (text ?? '') : new Uint8Array(Buffer.from(base64, 'base64'));
    return describeColumns(await service.upload(bytes, file_name, { signal, encoding }), examples);
  },
});

export const inspectColumns = defineTool({
  name: 'inspect_columns',
  title: 'Inspect the columns of an upload',
  description:
    'The answer of upload_table, again: kind, missing and distinct cells of each column, the suggested roles, and relations between columns.',
  input: { job_id: jobIdSchema, ...takesExamples },
  output: columnsOutput,
  annotations: { readOnlyHint: true, openWorldHint: false },
  run: async (service, { job_id, examples }, { signal }) =>
    describeColumns(await service.columns(job_id, { signal }), examples),
});
