import { z } from 'zod';
import type { UploadReply } from '../../packages/client/contract.ts';
import { MIN_LEVEL_ROWS } from '../../packages/contract/report.ts';
import { jobIdSchema } from '../../packages/contract/requests.ts';
import { UPLOAD_ENDINGS } from '../../packages/words/files.ts';
import { clip } from '../../packages/words/format.ts';
import { counted } from '../../packages/words/wording.ts';
import { isPrivateJob, takesOwnerFigures } from '../forOwner.ts';
import { ADDS, type Answer, ArgumentError, defineTool, fitted, MAX_ANSWER, READS, takesDetail } from '../tool.ts';

// An assistant's answers leave the machine, so without `examples` they contain no rare values.

/** Loose, since later services may add fields. */
export const columnsOutput = {
  job_id: z.string(),
  rows: z.int().nullable().describe('Null where only names are told.'),
  column_count: z.int().describe('Columns of the table; `columns` may have fewer.'),
  roles: z.record(z.string(), z.int()).describe('How many columns have each suggested role.'),
  columns: z.array(
    z.looseObject({
      name: z.string(),
      kind: z.string().nullable(),
      suggested_role: z.string().nullable(),
      reason: z.string(),
      missing: z.int().nullable(),
      distinct: z.int().nullable(),
    }),
  ),
  next_offset: z.int().nullable().describe('Where the columns that are not shown begin; null if none follow.'),
  suggested_target: z.looseObject({ column: z.string(), reason: z.string() }).nullable(),
  suggested_entity: z
    .looseObject({
      column: z.string(),
      reason: z.string(),
      order: z.looseObject({ column: z.string(), reason: z.string() }).nullable(),
    })
    .nullable(),
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

export const takesNamesOnly = {
  names_only: z
    .boolean()
    .default(false)
    .describe(
      'For a table that is to be made with privacy: answer with the names of its columns alone, since all else follows from its rows. false by default.',
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

/** For uploads whose rows are or will be private. */
export function nameColumns(
  { job_id, columns: all }: UploadReply,
  { offset = 0, limit = all.length, detail = 'summary' }: Pick<Asked, 'offset' | 'limit' | 'detail'> = {},
): Answer<z.input<z.ZodObject<typeof columnsOutput>>> {
  const chosen = all.slice(offset, offset + limit);
  const build = (shown: number) => {
    const names = chosen.slice(0, shown);
    const end = offset + names.length;
    const next_offset = end < all.length ? end : null;
    const more = next_offset === null ? '' : ` More follow: tables_inspect with offset ${next_offset}.`;
    const listed = names.map((name) => JSON.stringify(name)).join(', ');
    const data = {
      job_id,
      rows: null,
      column_count: all.length,
      roles: {},
      columns: names.map(namedAlone),
      next_offset,
      suggested_target: null,
      suggested_entity: null,
      relations: [],
      warnings: [],
    };
    return { text: `job_id ${job_id}: ${counted(all.length, 'column')}: ${listed}.${more} ${NAMES_ALONE}`, data };
  };
  return detail === 'full' ? build(chosen.length) : fitted(chosen.length, build);
}

const namedAlone = (name: string) => ({
  name,
  kind: null,
  suggested_role: null,
  reason: '',
  missing: null,
  distinct: null,
});

const NAMES_ALONE =
  'Only names are told, since the rest follows from the real rows. The domain of each column has to be known without the file: ask the user for it.';

type Column = UploadReply['profile']['columns'][number];

interface Asked {
  examples?: boolean | undefined;
  columns?: readonly string[] | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
  detail?: 'summary' | 'full' | undefined;
}

const MAX_SENTENCE = 300;
const MAX_SENTENCES = 8;

export function describeColumns(upload: UploadReply, asked: Asked): Answer<z.input<z.ZodObject<typeof columnsOutput>>> {
  const { examples = false, offset = 0, detail = 'summary' } = asked;
  const all = upload.profile.columns;
  const chosen = asked.columns ? named(all, asked.columns) : all.slice(offset, offset + (asked.limit ?? all.length));
  const isFull = detail === 'full';
  const short = (texts: readonly string[]) =>
    isFull ? [...texts] : texts.slice(0, MAX_SENTENCES).map((text) => clip(text, MAX_SENTENCE));
  const stated = upload.profile.relations.filter(({ kind }) => examples || kind !== 'missing_when');
  const relations = short(stated.map(({ sentence }) => sentence));
  const warnings = short(examples ? upload.warnings : []);
  const { job_id, n_rows: rows, suggested_target = null, suggested_entity = null } = upload;
  const build = (shown: number) => {
    const columns = chosen.slice(0, shown).map((column) => summaryOf(column, examples, isFull));
    const end = asked.columns ? all.length : offset + columns.length;
    const next_offset = end < all.length ? end : null;
    const facts = {
      column_count: all.length,
      roles: countRoles(all),
      columns,
      next_offset,
      suggested_target,
      suggested_entity,
    };
    const unshown = [
      ...leftOut('relation', stated.length - relations.length),
      ...(examples
        ? leftOut('warning', upload.warnings.length - warnings.length)
        : warningHint(upload.warnings.length)),
    ];
    const data = { job_id, rows, ...facts, relations, warnings };
    return { text: [...linesOf(data), ...unshown].join('\n'), data };
  };
  return isFull ? build(chosen.length) : fitted(chosen.length, build);
}

function named(all: readonly Column[], names: readonly string[]): Column[] {
  const byName = new Map(all.map((column) => [column.name, column]));
  const missing = names.filter((name) => !byName.has(name));
  if (missing.length === 0) return names.flatMap((name) => byName.get(name) ?? []);
  throw new ArgumentError({ reason: 'no_such_columns', columns: missing, known: [...byName.keys()] });
}

function summaryOf(column: Column, examples: boolean, isFull: boolean) {
  const { name, kind, suggested_role, evidence, missing, distinct } = column;
  const reason = examples ? evidence.join('; ') : outline(column);
  return { name, kind, suggested_role, missing, distinct, reason: isFull ? reason : clip(reason, MAX_SENTENCE) };
}

function countRoles(columns: readonly Column[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { suggested_role } of columns) counts[suggested_role] = (counts[suggested_role] ?? 0) + 1;
  return counts;
}

function linesOf(data: z.input<z.ZodObject<typeof columnsOutput>>): string[] {
  const { job_id, rows, column_count, roles, columns, next_offset, relations, warnings } = data;
  const { suggested_target, suggested_entity } = data;
  const inRoles = Object.entries(roles).map(([role, count]) => `${count} ${role}`);
  return [
    `job_id ${job_id}: ${counted(rows ?? 0, 'row')}, ${counted(column_count, 'column')}; suggested roles: ${inRoles.join(', ')}.`,
    suggested_target
      ? `Suggested target: ${JSON.stringify(suggested_target.column)} (${clip(suggested_target.reason, MAX_SENTENCE)}).`
      : 'No target is suggested: without one, the table is made of the other columns alone.',
    ...entityLine(suggested_entity),
    ...columns.map(
      ({ name, kind, suggested_role, reason, missing }) =>
        `- ${JSON.stringify(name)}: ${kind}, suggested role ${suggested_role} (${reason}${(missing ?? 0) > 0 ? `; ${missing} missing` : ''})`,
    ),
    ...(next_offset === null ? [] : [`More columns follow: tables_inspect with offset ${next_offset}.`]),
    ...relations.map((sentence) => `Relation: ${sentence}`),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
}

function entityLine(entity: z.input<typeof columnsOutput.suggested_entity>): string[] {
  if (!entity) return [];
  const order = entity.order ? `, order_col ${JSON.stringify(entity.order.column)}` : '';
  return [
    `Rows belong together: entity_col ${JSON.stringify(entity.column)}${order} (${clip(entity.reason, MAX_SENTENCE)}).`,
  ];
}

const leftOut = (noun: string, count: number): string[] =>
  count > 0 ? [`${counted(count, noun)} more with detail: full.`] : [];

const warningHint = (count: number): string[] => (count > 0 ? [hint(count)] : []);

const hint = (warnings: number): string =>
  `${counted(warnings, 'warning')}: the user finds ${warnings === 1 ? 'it' : 'them'} on the page of the service, or may allow examples.`;

/** Contains common levels and a rounded range without its ends. */
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

const MAX_LEVELS = 8;

export const upload = defineTool({
  name: 'tables_upload',
  title: 'Upload a table',
  description: `Uploads a real table and creates a job for it. Give a CSV file as text, or any CSV or Excel file (${UPLOAD_ENDINGS}) as base64. Answers as tables_inspect does. Next: tables_generate.`,
  input: {
    file_name: z
      .string()
      .min(1)
      .default('table.csv')
      .describe(`The extension gives the format: ${UPLOAD_ENDINGS}; table.csv by default.`),
    text: z.string().optional().describe('The file as text: a header line, then one row per line.'),
    base64: z.base64().optional().describe('The bytes of the file in base64, instead of text; needed for Excel files.'),
    ...takesExamples,
    ...takesNamesOnly,
    ...takesEncoding,
  },
  output: columnsOutput,
  annotations: ADDS,
  async run(service, { file_name, text, base64, encoding, examples, names_only }, { signal }) {
    const bytes = base64 === undefined ? (text ?? '') : new Uint8Array(Buffer.from(base64, 'base64'));
    const uploaded = await service.upload(bytes, file_name, { signal, encoding });
    return names_only ? nameColumns(uploaded) : describeColumns(uploaded, { examples });
  },
});

export const inspect = defineTool({
  name: 'tables_inspect',
  title: 'Inspect the columns of an upload',
  description: `What each column of an upload is, its suggested role, missing and distinct cells, and relations between columns. A summary has as many columns as fit into ${MAX_ANSWER} characters: read on with offset, or name columns.`,
  input: {
    job_id: jobIdSchema,
    columns: z.array(z.string()).min(1).optional().describe('Columns to describe; all by default.'),
    offset: z.int().min(0).default(0).describe('Number of columns to skip.'),
    limit: z.int().min(1).optional().describe('Number of columns; as many as fit by default.'),
    ...takesDetail,
    ...takesExamples,
    ...takesNamesOnly,
    ...takesOwnerFigures,
  },
  output: columnsOutput,
  annotations: READS,
  async run(service, { job_id, names_only, owner_figures, ...asked }, { signal }) {
    const found = await service.columns(job_id, { signal });
    const isHidden = names_only || (!owner_figures && (await isPrivateJob(service, { jobId: job_id, signal })));
    return isHidden ? nameColumns(found, asked) : describeColumns(found, asked);
  },
});
