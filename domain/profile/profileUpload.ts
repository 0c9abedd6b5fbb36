/** profile: everything that later steps want to know of an upload, in one pass over it. */
import { createStream } from '../../numerics/random/createStream.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { detectColumn } from '../detect/detectColumn.ts';
import { suggestRoles } from '../detect/suggestRoles.ts';
import { findRelations } from '../relations/findRelations.ts';
import { relationWarnings } from '../relations/relationWarnings.ts';
import { peek } from '../table/byteStream.ts';
import { readCsv } from '../table/readCsv.ts';
import { readSpreadsheet } from '../table/readSpreadsheet.ts';
import type { RowSink } from '../table/rowSink.ts';
import { SNIFF_BYTES, sniff } from '../table/sniff.ts';
import type { ColumnSummary } from './columnSummary.ts';
import { DistinctCounter, SlotBudget } from './distinctCounter.ts';
import type { ColumnProfile, Profile } from './profile.ts';
import { QuantileSketch } from './quantileSketch.ts';
import { RowSample } from './rowSample.ts';
import { ColumnSummariser } from './summariseColumn.ts';
import { warningsOf } from './warningsOf.ts';

/** Levels and quantile entries that all columns keep together. */
const ROOM = 2 ** 20;
const MOST_LEVELS = 2 ** 15;
const LEAST_LEVELS = 100;
/** Rows given to a column at once, so that what a column keeps is at hand for many cells. */
const HELD_ROWS = 256;

/**
 * Reads a CSV file or an Excel workbook once and profiles every column. Memory does not grow with the number of rows.
 * The same bytes give the same profile. Throws the upload errors: `unsupported_file_type`, `empty_file`, `no_data_rows`,
 * `encoding_error`, `parse_error`.
 */
export async function profileUpload(bytes: AsyncIterable<Uint8Array>, fileName: string): Promise<Profile> {
  const { head, all } = await peek(bytes, SNIFF_BYTES);
  const file = sniff(head, fileName);
  const sink = new ProfileSink(createStream(1, 'profile-sample'));
  const reading = file.format === 'csv' ? await readCsv(all, file, sink) : await readSpreadsheet(all, {}, sink);
  const { columns, sample } = sink.finish(reading.rows);
  const relations = findRelations(columns, sample);
  return {
    version: 1,
    dialect: reading.dialect,
    rows: reading.rows,
    columns,
    warnings: [
      ...file.warnings,
      ...reading.warnings,
      ...warningsOf(columns, reading.rows, sample.cells),
      ...relationWarnings(relations),
    ],
    relations,
    sample,
  };
}

class ProfileSink implements RowSink {
  private readonly random: RandomStream;
  private readonly sample: RowSample;
  private columns: ColumnSummariser[] = [];
  /** Rows that the columns have not been given yet. */
  private held: string[][] = [];

  constructor(random: RandomStream) {
    this.random = random;
    this.sample = new RowSample(random);
  }

  header(names: string[]): void {
    const room = Math.min(MOST_LEVELS, Math.max(LEAST_LEVELS, Math.floor(ROOM / names.length)));
    const budget = new SlotBudget();
    this.columns = names.map((name, index) => {
      const sketch = new QuantileSketch(room, this.random.child(`quantiles-${index}`));
      return new ColumnSummariser(name, { mostLevels: room, distinct: new DistinctCounter(budget), sketch });
    });
  }

  row(cells: string[]): void {
    this.sample.add(cells);
    if (this.held.push(cells) === HELD_ROWS) this.passOn();
  }

  private passOn(): void {
    for (let i = 0; i < this.columns.length; i++) this.columns[i]!.add(this.held, i);
    this.held = [];
  }

  finish(rows: number): { columns: ColumnProfile[]; sample: Profile['sample'] } {
    this.passOn();
    const { rows: sampled, cells } = this.sample.columns(this.columns.length);
    const summaries = this.columns.map((column) => column.summary());
    const sample = { rows: sampled, cells: cells.map((each, index) => withoutSentinels(each, summaries[index]!)) };
    const columns = summaries.map((summary, index) => detectColumn(summary, sample.cells[index] ?? []));
    return { columns: suggestRoles(columns, rows), sample };
  }
}

/** Cells of the sample, those missing that the whole column has shown to be. */
function withoutSentinels(cells: (string | null)[], { sentinels }: ColumnSummary): (string | null)[] {
  if (sentinels.length === 0) return cells;
  const gone = new Set(sentinels.map(({ text }) => text));
  return cells.map((cell) => (cell !== null && gone.has(cell) ? null : cell));
}
