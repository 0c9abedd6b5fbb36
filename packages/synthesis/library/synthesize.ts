import { z } from 'zod';
import { namedColumns } from '../../contract/columns.ts';
import { ServiceError } from '../../contract/errors.ts';
import type { Encoding } from '../../contract/files.ts';
import type { JobMetrics } from '../../contract/metrics.ts';
import { type ReportIdentity, type SharedReport, WITHOUT_JOB } from '../../contract/report.ts';
import {
  encodingSchema,
  type TableRequest,
  type TableRequestBody,
  tableRequestSchema,
} from '../../contract/requests.ts';
import { roleFields, rolesBeside, suggestedRoles } from '../../contract/roles.ts';
import type { Judgement } from '../../contract/verdicts.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { profileUpload } from '../../tables/profile/profileUpload.ts';
import { readTable } from '../../tables/readTable.ts';
import { type CellColumn, cellAt } from '../../tables/table.ts';
import type { Synthesis } from '../finish.ts';
import { makeTable, sampleTable } from '../make.ts';
import type { RealTable } from '../methods/method.ts';
import { type DrawnReport, drawReport } from '../report/drawReport.ts';
import { softwareFacts } from '../report/makeReport.ts';
import { isPrivate, withDomainRoles } from '../request/checkPrivacy.ts';
import { checkRequest, withTarget } from '../request/checkRequest.ts';
import { scaleConditions } from '../request/scaleConditions.ts';
import { writeTable, writtenCells } from '../write.ts';
import { fileOf, Hashing, type TableSource } from './source.ts';
import { parsed, type ReadOptions, type SynthesizeOptions, textOpenerOf, type Work, working } from './work.ts';

/** A row of a synthetic table. Plain cells of numeric columns are numbers; others are text, or null if missing. */
export type SyntheticRow = Record<string, string | number | null>;

/** A synthetic table with its metrics. Everything can be read repeatedly. */
export interface SyntheticTable {
  /** In the real table's order. */
  columns: readonly string[];
  /** The request, including defaults and seed. */
  request: TableRequest;
  seed: number;
  /** Iterates over the rows, or returns all at once. */
  rows: AsyncIterable<SyntheticRow> & { all(): SyntheticRow[] };
  /** Yields a CSV file in UTF-8, byte for byte the service's for the same file, request and seed. */
  csv(): AsyncIterable<Uint8Array>;
  /** Returns the CSV file as one string. */
  csvText(): Promise<string>;
  /** Measured on these rows and on held-out real rows. */
  metrics: JobMetrics;
  /** Verdicts on fidelity, utility, privacy and the target's model (`metrics.verdicts`). */
  verdicts: readonly Judgement[];
  /** Returns the report as data and a self-contained page, or null if it cannot be drawn. */
  report(): Promise<DrawnReport | null>;
  /** Returns a report that is safe to share if the request has `privacy`, else null. */
  reportForSharing(): Promise<DrawnReport<SharedReport> | null>;
  /** Draws more rows. */
  model: SyntheticModel;
}

/** The fitted models of a table. */
export interface SyntheticModel {
  /**
   * Draws and measures more rows, or entities if the table has `entity_col`, without refitting. Throws ServiceError
   * `invalid_parameter` for a count that is not a whole number from 1 to 1,000,000, or too small for the request's
   * conditions.
   */
  sample(count: number | { entities: number }, options?: SynthesizeOptions): Promise<SyntheticTable>;
  /**
   * Returns JSON for `restoreModel`, with levels, text statistics and weights fitted to the real table. Throws
   * RangeError if it is too large.
   */
  save(): string;
}

/**
 * Makes a synthetic table that resembles a real one.
 *
 * @param table rows, columns, bytes of a CSV file, or a file path.
 * @param request column roles and settings, as for POST /generate without a job. Without columns, uses the roles that
 *   `inspect` suggests; without a target, makes a table without one.
 * @returns the table, its metrics, and a model that draws more rows.
 * @throws ServiceError if the table is unreadable or the request does not fit it (see `code` and `params`); JobError if
 *   the table cannot be modelled; the signal's reason within 100 ms of an abort.
 */
export function synthesize(
  table: TableSource,
  request: TableRequestBody = {},
  options: SynthesizeOptions & ReadOptions = {},
): Promise<SyntheticTable> {
  return working(options, async (work) => {
    const body = parsed(tableRequestSchema, request);
    const seed = seedOf(options, body.seed);
    const { identity: _, ...real } = await readSource(table, work, options);
    const asked = withRoles(body, real.table.profile);
    checkRequest(asked, real.table.profile);
    const openText = textOpenerOf(options);
    const load = async () => real.table;
    const { saved, ...made } = await makeTable({ load, request: asked, seed, openText, progress: work.progress });
    const source: Source = { ...real, request: asked, seed, saved };
    return finished(made, source, work);
  });
}

/**
 * Restores a saved model. Rows are measured against the same real table.
 *
 * @throws ServiceError if `saved` does not come from `save`; JobError `invalid_data` on sampling if another version
 *   saved it or the table differs.
 */
export function restoreModel(saved: string, table: TableSource, options: ReadOptions = {}): Promise<SyntheticModel> {
  return working(options, async (work) => {
    const { request, seed, models } = parsed(savedSchema, parseJson(saved));
    const { name, table: real } = await readSource(table, work, options);
    return modelOf({ name, table: real, request, seed, saved: models });
  });
}

const savedSchema = z.object({
  format: z.literal('synthetic-tables-library/1'),
  request: tableRequestSchema,
  seed: z.int(),
  models: z.string(),
});

interface Source {
  name: string;
  table: RealTable;
  request: TableRequest;
  seed: number;
  /** Null if too large to keep. */
  saved: string | null;
}

export async function readSource(
  source: TableSource,
  { check }: Work,
  options: ReadOptions,
): Promise<Pick<Source, 'name' | 'table'> & { identity: ReportIdentity }> {
  const file = await fileOf(source, check);
  const hashing = new Hashing();
  const profile = await profileUpload(file.bytes(), file.name, encodingIn(options));
  const cells = await readTable(hashing.through(file.bytes()), profile.dialect);
  return { name: file.name, table: { profile, cells }, identity: hashing.identity() };
}

async function finished(made: Synthesis, source: Source, { progress }: Work): Promise<SyntheticTable> {
  const { synthetic, plan, metrics, seed } = made;
  const columns = plan.columns.map(({ name }) => name);
  await progress.onProgress({ stage: 'done', fact: 'finished', rows: synthetic.rows, columns: columns.length });
  let drawn: ReturnType<typeof reportsOf> | undefined;
  const reports = () => {
    drawn ??= reportsOf(made, source);
    return drawn;
  };
  return {
    columns,
    request: { ...made.request, seed },
    seed,
    metrics,
    verdicts: metrics.verdicts ?? [],
    model: modelOf(source),
    rows: { all: () => [...rowsOf(made)], [Symbol.asyncIterator]: () => eachLater(rowsOf(made)) },
    csv: () => writeTable(made, nextTurn),
    async csvText() {
      let text = '';
      const decoder = new TextDecoder();
      for await (const bytes of writeTable(made, nextTurn)) text += decoder.decode(bytes, { stream: true });
      return text + decoder.decode();
    },
    report: async () => (await reports()).report,
    reportForSharing: async () => (await reports()).forSharing,
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function reportsOf(made: Synthesis, { name, request }: Source) {
  const hashing = new Hashing();
  for await (const _ of hashing.through(writeTable(made, nextTurn)));
  return drawReport(
    { ...made, progress: { onProgress: nextTurn, yieldToEventLoop: nextTurn } },
    {
      jobId: WITHOUT_JOB.made,
      fileName: name,
      madeAt: new Date().toISOString(),
      request: { ...request, seed: made.seed },
      identity: hashing.identity(),
      software: softwareFacts(null),
    },
  );
}

function* rowsOf(made: Synthesis): Generator<SyntheticRow> {
  const { cells } = writtenCells(made);
  const isNumber = made.plan.columns.map(({ name }) => made.synthetic.columns.get(name)?.kind === 'numeric');
  for (let row = 0; row < cells.rows; row++) {
    yield Object.fromEntries(
      cells.columns.map((column, at) => [column.name, cellValue(column, row, isNumber[at] === true)]),
    );
  }
}

const PLAIN_NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

function cellValue(column: CellColumn, row: number, isNumber: boolean): string | number | null {
  const text = cellAt(column, row);
  return isNumber && text !== null && PLAIN_NUMBER.test(text) ? Number(text) : text;
}

async function* eachLater<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

const modelOf = (source: Source): SyntheticModel => ({
  sample: (count, options = {}) => working(options, (work) => sampled(source, count, options, work)),
  save() {
    const { request, seed, saved } = source;
    if (saved === null)
      throw new RangeError(
        'The models are too large to be saved. Make a new table with fewer columns, or keep this model in memory.',
      );
    return JSON.stringify({ format: 'synthetic-tables-library/1', request, seed, models: saved });
  },
});

async function sampled(
  source: Source,
  count: number | { entities: number },
  options: SynthesizeOptions,
  work: Work,
): Promise<SyntheticTable> {
  const { saved } = source;
  if (saved === null)
    throw new RangeError(
      'The models are too large to draw from again. Call synthesize again with as many rows as you need.',
    );
  const request = { ...sizedAs(source.request, count), seed: seedOf(options, null) };
  const { seed } = request;
  const made = await sampleTable({
    load: async () => source.table,
    request,
    seed,
    progress: work.progress,
    openText: textOpenerOf(options),
    source: { request: source.request, seed: source.seed, jobId: null, models: async () => saved },
  });
  return finished(made, source, work);
}

/** Keeps the share of rows for each condition. */
function sizedAs(request: TableRequest, count: number | { entities: number }): TableRequest {
  const { n_samples: rows, n_entities: entities } = tableRequestSchema.shape;
  const isRows = typeof count === 'number';
  const size = isRows
    ? { n_samples: parsed(rows, count, 'rows'), n_entities: null }
    : { n_samples: request.n_samples, n_entities: parsed(entities, count.entities, 'entities') };
  if (!isRows && request.entity_col === null)
    throw wrong('entities', 'needs a table that was made with entity_col', count.entities);
  const to = size.n_entities ?? request.n_entities ?? size.n_samples;
  const conditions = scaleConditions(request.conditions, request.n_entities ?? request.n_samples, to);
  if (!conditions) throw wrong('rows', 'must be at least the number of conditions that have rows, plus one', to);
  return { ...request, ...size, conditions };
}

/** Defaults to 53 unpredictable bits. */
export function seedOf({ seed }: Pick<SynthesizeOptions, 'seed'>, asked: number | null): number {
  if (seed !== undefined) return parsed(z.int().min(0), seed, 'seed');
  if (asked !== null) return asked;
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> 11) * 2 ** 32 + low;
}

/** Library callers may omit roles and target; uses the suggestions. */
export function withRoles(request: TableRequest, profile: Profile): TableRequest {
  const { target, target_col, text_cols } = request;
  // Suggestions come from cells, which a private request must not read.
  if (isPrivate(request)) return withDomainRoles(request);
  if (namedColumns(request).length === 0) {
    const suggested = suggestedRoles({ profile }, target === 'none' ? null : undefined);
    return { ...request, ...roleFields(rolesBeside(suggested, request.entity_col)) };
  }
  if (target !== null) return withTarget(request, profile);
  return target_col === null && text_cols.length === 0 ? { ...request, target: 'none' } : request;
}

export const encodingIn = ({ encoding }: Pick<ReadOptions, 'encoding'>): Encoding | undefined =>
  encoding === undefined ? undefined : parsed(encodingSchema, encoding, 'encoding');

const wrong = (field: string, rule: string, found: unknown): ServiceError =>
  new ServiceError({ reason: 'fields_invalid', faults: [{ field, rule, found: String(found) }] });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrong('saved', 'must be the text that save() returned', `${text.slice(0, 40)}…`);
  }
}
