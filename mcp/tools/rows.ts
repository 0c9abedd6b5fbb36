import Papa from 'papaparse';
import { z } from 'zod';
import { jobIdSchema } from '../../packages/contract/requests.ts';
import { cutRecords } from '../../packages/tables/records.ts';
import { clip } from '../../packages/words/format.ts';
import { type Answer, ArgumentError, defineTool, fitted, MAX_ANSWER, READS, takesDetail } from '../tool.ts';

const ROWS = { most: 200, standard: 20 };
/** Default columns of a summary, and cell lengths to try until a row fits. */
const COLUMNS = 40;
const CELLS = [Number.POSITIVE_INFINITY, 200, 40];

const output = {
  job_id: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string())),
  offset: z.int(),
  more: z.boolean().describe('Whether more rows follow.'),
  left_out: z.int().describe('Columns of the table that are not shown.'),
  cells_cut: z.boolean().describe('Whether long cells are cut.'),
};

type Rows = Answer<z.input<z.ZodObject<typeof output>>>;

export const readRows = defineTool({
  name: 'tables_read_rows',
  title: 'Read rows of a synthetic table',
  description: `Rows of the synthetic table of a finished job, as CSV with a header line. A summary has as many rows, and of a wide table as many columns, as fit into ${MAX_ANSWER} characters: read on with offset, or name columns.`,
  input: {
    job_id: jobIdSchema,
    columns: z.array(z.string()).min(1).optional().describe('Columns to show; all by default.'),
    offset: z.int().min(0).max(1_000_000).default(0).describe('Number of rows to skip.'),
    limit: z
      .int()
      .min(1)
      .max(ROWS.most)
      .default(ROWS.standard)
      .describe(`Number of rows, 1 to ${ROWS.most}; ${ROWS.standard} by default.`),
    ...takesDetail,
  },
  output,
  annotations: READS,
  async run(service, { job_id, columns: named, offset, limit, detail }, { signal }) {
    const { body } = await service.download(job_id, { signal });
    const records = await takeRecords(body, offset, limit);
    const isFull = detail === 'full';
    const shown = named ?? (isFull ? records.columns : records.columns.slice(0, COLUMNS));
    const missing = shown.filter((name) => !records.columns.includes(name));
    if (missing.length > 0) {
      throw new ArgumentError({ reason: 'no_such_columns', columns: missing, known: records.columns });
    }
    const at = shown.map((name) => records.columns.indexOf(name));
    const table = { job_id, offset, columns: shown, left_out: records.columns.length - shown.length };
    const rows = records.rows.map((row) => at.map((i) => row[i] ?? ''));
    return isFull ? answerOf(table, rows, CELLS[0], records.more) : fittedRows(table, rows, records.more);
  },
});

type Table = Pick<Rows['data'], 'job_id' | 'offset' | 'columns' | 'left_out'>;

function fittedRows(table: Table, rows: string[][], more: boolean): Rows {
  for (const most of CELLS) {
    const answer = fitted(
      rows.length,
      (shown) => answerOf(table, rows.slice(0, shown), most, more || shown < rows.length),
      0,
    );
    if (answer.data.rows.length > 0 || most === CELLS.at(-1)) return answer;
  }
  return answerOf(table, [], undefined, more);
}

function answerOf(table: Table, whole: string[][], most = Number.POSITIVE_INFINITY, more: boolean): Rows {
  const rows = whole.map((row) => row.map((cell) => clip(cell, most)));
  const cells_cut = whole.some((row) => row.some((cell) => cell.length > most));
  const { offset, left_out } = table;
  const notes = [
    ...(more ? [`More rows follow: offset ${offset + rows.length}.`] : []),
    ...(left_out > 0 ? [`${left_out} columns are not shown: name them in columns, or ask for detail: full.`] : []),
    ...(cells_cut ? ['Long cells are cut: name fewer columns, or ask for detail: full.'] : []),
  ];
  const text = [Papa.unparse([table.columns, ...rows], { newline: '\n' }), ...notes.map((note) => `# ${note}`)].join(
    '\n',
  );
  return { text, data: { ...table, rows, more, cells_cut } };
}

// Reads no further than the last wanted record.

interface Records {
  columns: string[];
  rows: string[][];
  more: boolean;
}

/** Parses only the service's own CSV. */
export async function takeRecords(body: AsyncIterable<Uint8Array>, offset: number, limit: number): Promise<Records> {
  const wanted = 1 + offset + limit;
  const decoder = new TextDecoder();
  const kept: string[] = [];
  let [rest, records] = ['', 0];
  for await (const bytes of body) {
    const cut = cutRecords(rest + decoder.decode(bytes, { stream: true }));
    rest = cut.rest;
    for (const record of cut.records) {
      if (records === 0 || (records > offset && records < wanted)) kept.push(record);
      records++;
    }
    if (records > wanted) break;
  }
  if (rest !== '' && records < wanted) kept.push(rest);
  const [columns = [], ...rows] = Papa.parse<string[]>(kept.join(''), { delimiter: ',' }).data;
  return { columns, rows: rows.slice(0, Math.min(limit, kept.length - 1)), more: records > wanted };
}
