import { type ColumnKind, type ColumnProfile, PREVIEW, type Relation } from '../../contract/columns.ts';
import type { Encoding } from '../../contract/files.ts';
import { createStream } from '../../numerics/random/createStream.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { counted } from '../../words/wording.ts';
import { detectColumn } from '../detect/detectColumn.ts';
import { factsOf } from '../detect/kinds.ts';
import { suggestEntity } from '../detect/suggestEntity.ts';
import { suggestRoles } from '../detect/suggestRoles.ts';
import type { SampledCells } from '../keys/agreement.ts';
import { repeatedKey } from '../keys/repeatedKey.ts';
import { isMissing } from '../missing.ts';
import { readCsv } from '../readCsv.ts';
import { readSpreadsheet } from '../readSpreadsheet.ts';
import { findRelations } from '../relations/findRelations.ts';
import { peek, SNIFF_BYTES, sniff } from '../sniff.ts';
import type { RowSink } from '../table.ts';
import { ownText } from '../textDictionary.ts';
import { DistinctCounter, SlotBudget } from './distinctCounter.ts';
import type { ColumnSummary } from './lookAtCells.ts';
import { type Profile, SAMPLE_ROWS } from './profile.ts';
import { QuantileSketch } from './quantileSketch.ts';
import { RowDigester } from './rowDigest.ts';
import { ColumnSummariser } from './summariseColumn.ts';
import { warningsOf } from './warningsOf.ts';

const ROOM = 2 ** 20;
const MAX_LEVELS = 2 ** 15;
const MIN_LEVELS = 100;
/** Rows per batch, for cache locality within a column. */
const HELD_ROWS = 256;

/**
 * Profiles every column of a CSV file or Excel workbook in one reproducible pass with bounded memory.
 * @param encoding Without a byte order mark; default UTF-8.
 * @throws ServiceError `unsupported_file_type`, `empty_file`, `no_data_rows`, `encoding_error` or `parse_error`.
 */
export async function profileUpload(
  bytes: AsyncIterable<Uint8Array>,
  fileName: string,
  encoding?: Encoding,
): Promise<Profile> {
  const { head, all } = await peek(bytes, SNIFF_BYTES);
  const file = sniff(head, fileName, encoding);
  const sink = new ProfileSink(createStream(1, 'profile-sample'));
  const reading = file.format === 'csv' ? await readCsv(all, file, sink) : await readSpreadsheet(all, {}, sink);
  const { columns: detected, sample, preview, row_digest } = sink.finish();
  const relations = findRelations(detected, sample);
  const { columns, target } = suggestRoles(detected, reading.rows, sample.cells, relations);
  return {
    version: 1,
    dialect: reading.dialect,
    rows: reading.rows,
    columns,
    preview,
    suggested_target: target,
    suggested_entity: suggestEntity(columns, sample.cells),
    warnings: [
      ...file.warnings,
      ...reading.warnings,
      ...warningsOf(columns, reading.rows, sample.cells),
      ...relationWarnings(relations),
    ],
    relations,
    row_digest,
    sample,
  };
}

class ProfileSink implements RowSink {
  private readonly random: RandomStream;
  private readonly sample: RowSample;
  private columns: ColumnSummariser[] = [];
  private held: string[][] = [];
  private readonly first: string[][] = [];
  private digester = new RowDigester([]);

  constructor(random: RandomStream) {
    this.random = random;
    this.sample = new RowSample(random);
  }

  header(names: string[]): void {
    const room = Math.min(MAX_LEVELS, Math.max(MIN_LEVELS, Math.floor(ROOM / names.length)));
    this.digester = new RowDigester(names);
    const budget = new SlotBudget();
    this.columns = names.map((name, index) => {
      const sketch = new QuantileSketch(room, this.random.child(`quantiles-${index}`));
      return new ColumnSummariser(name, { mostLevels: room, distinct: new DistinctCounter(budget), sketch });
    });
  }

  row(cells: string[]): void {
    this.sample.add(cells);
    this.digester.add(cells);
    if (this.first.length < PREVIEW.rows) this.first.push(cells.map(previewCell));
    if (this.held.push(cells) === HELD_ROWS) this.passOn();
  }

  private passOn(): void {
    for (let i = 0; i < this.columns.length; i++) this.columns[i]!.add(this.held, i);
    this.held = [];
  }

  finish(): Pick<Profile, 'columns' | 'sample' | 'preview' | 'row_digest'> {
    this.passOn();
    const { rows: sampled, cells } = this.sample.columns(this.columns.length);
    const summaries = this.columns.map((column) => column.summary());
    const sample = { rows: sampled, cells: cells.map((each, index) => withoutSentinels(each, summaries[index]!)) };
    const columns = detectColumns(summaries, sample.cells);
    const preview = this.first.map((row) => markMissing(row, columns));
    return { columns, sample, preview, row_digest: this.digester.finish() };
  }
}

/** Copies, because the cell's text belongs to the reader. */
function previewCell(cell: string): string {
  if (cell.length <= PREVIEW.characters) return ownText(cell);
  const withoutHalf = cell.slice(0, PREVIEW.characters - 1).replace(/[\ud800-\udbff]$/, '');
  return ownText(`${withoutHalf}…`);
}

const markMissing = (row: readonly string[], columns: readonly ColumnProfile[]): (string | null)[] =>
  row.map((cell, at) => (isMissing(cell) || columns[at]!.missing_tokens.some(([text]) => text === cell) ? null : cell));

const DECIDED: ReadonlySet<ColumnKind> = new Set(['identifier', 'datetime', 'empty']);

function detectColumns(summaries: readonly ColumnSummary[], cells: SampledCells): ColumnProfile[] {
  const names = summaries.map(({ name }) => name);
  return summaries.map((summary, at) => {
    const own = cells[at] ?? [];
    const alone = detectColumn(summary, own);
    const key = DECIDED.has(alone.kind) ? undefined : repeatedKey({ facts: factsOf(summary, own), names, cells, at });
    return key ? detectColumn(summary, own, key) : alone;
  });
}

function withoutSentinels(cells: (string | null)[], { sentinels }: ColumnSummary): (string | null)[] {
  if (sentinels.length === 0) return cells;
  const gone = new Set(sentinels.map(({ text }) => text));
  return cells.map((cell) => (cell !== null && gone.has(cell) ? null : cell));
}

// Reservoir sample of rows (Vitter 1985, algorithm R), bounded in bytes.

const MAX_BYTES = 16 * 2 ** 20;
const CELL_BYTES = 8;

interface SampledRow {
  index: number;
  cells: string[];
  bytes: number;
}

export class RowSample {
  private readonly random: RandomStream;
  private readonly mostBytes: number;
  private rows: SampledRow[] = [];
  private seen = 0;
  private bytes = 0;
  /** Below `SAMPLE_ROWS` if those rows are too large. */
  private size = SAMPLE_ROWS;

  constructor(random: RandomStream, mostBytes = MAX_BYTES) {
    this.random = random;
    this.mostBytes = mostBytes;
  }

  add(cells: readonly string[]): void {
    const index = this.seen++;
    const slot = index < this.size ? index : this.random.integer(this.seen);
    if (slot >= this.size) return;
    const row = { index, cells: cells.map(ownText), bytes: bytesOf(cells) };
    this.bytes += row.bytes - (this.rows[slot]?.bytes ?? 0);
    this.rows[slot] = row;
    if (this.bytes > this.mostBytes) this.shrink();
  }

  /** In file order, column by column; null is missing. */
  columns(width: number): { rows: number; cells: (string | null)[][] } {
    const rows = [...this.rows].sort((a, b) => a.index - b.index);
    const cells = Array.from({ length: width }, (_, column) =>
      rows.map((row) => {
        const cell = row.cells[column] ?? '';
        return isMissing(cell) ? null : cell;
      }),
    );
    return { rows: rows.length, cells };
  }

  /** Drops random rows until a quarter of the room is free. */
  private shrink(): void {
    while (this.bytes > 0.75 * this.mostBytes && this.rows.length > 1) {
      const slot = this.random.integer(this.rows.length);
      const last = this.rows.pop()!;
      const left = slot < this.rows.length ? this.rows[slot]! : last;
      if (slot < this.rows.length) this.rows[slot] = last;
      this.bytes -= left.bytes;
    }
    this.size = Math.min(this.size, this.rows.length);
  }
}

const bytesOf = (cells: readonly string[]): number =>
  cells.reduce((bytes, cell) => bytes + 2 * cell.length + CELL_BYTES, 0);

const MAX_SENTENCES = 5;

export function relationWarnings(relations: readonly Relation[]): string[] {
  const sentences = relations
    .slice(0, MAX_SENTENCES)
    .map((relation) => `${relation.sentence} ${consequence(relation)}`);
  const more = relations.length - sentences.length;
  if (more <= 0) return sentences;
  return [
    ...sentences,
    `${counted(more, 'further relation')} between columns ${more === 1 ? 'is' : 'are'} listed in profile.relations.`,
  ];
}

function consequence(relation: Relation): string {
  const { column, of } = relation;
  const pair = `${JSON.stringify(column)} is computed from ${JSON.stringify(of)}`;
  switch (relation.kind) {
    case 'copy':
      return `If both are in the request with the same role, ${pair}.`;
    case 'function':
      return `If both are numeric in the request, ${pair}.`;
    case 'sum':
      return `If all of them are numeric in the request, ${JSON.stringify(column)} is computed as the sum of the others.`;
    case 'order':
      return `If both are numeric in the request, ${relation.share === undefined ? 'every synthetic row satisfies' : 'as many synthetic rows satisfy'} this.`;
    case 'labels':
      return `If ${JSON.stringify(of)} is categorical in the request and ${JSON.stringify(column)} categorical or continuous, ${pair}.`;
    default:
      return 'If both are in the request, numbers and texts satisfy this in every row, categories only approximately.';
  }
}
