/** A simple random sample of whole rows, by the reservoir method (Vitter 1985, algorithm R), bounded in bytes too. */
import type { RandomStream } from '../../numerics/random/stream.ts';
import { isMissing } from '../table/missing.ts';
import { ownText } from '../table/textDictionary.ts';
import { SAMPLE_ROWS } from './profile.ts';

/** Bytes of the cells kept, at two a character and `CELL_BYTES` a cell. */
const MOST_BYTES = 16 * 2 ** 20;
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
  /** Rows to keep: fewer than `SAMPLE_ROWS` once those had too many bytes. */
  private size = SAMPLE_ROWS;

  constructor(random: RandomStream, mostBytes = MOST_BYTES) {
    this.random = random;
    this.mostBytes = mostBytes;
  }

  add(cells: readonly string[]): void {
    const index = this.seen++;
    const place = index < this.size ? index : this.random.integer(this.seen);
    if (place >= this.size) return;
    const row = { index, cells: cells.map(ownText), bytes: bytesOf(cells) };
    this.bytes += row.bytes - (this.rows[place]?.bytes ?? 0);
    this.rows[place] = row;
    if (this.bytes > this.mostBytes) this.shrink();
  }

  /** The rows in the file's order, column by column; null is a missing cell. */
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

  /** Leaves out rows at random until a quarter of the room is free, but for one row: what is left is a random sample still. */
  private shrink(): void {
    while (this.bytes > 0.75 * this.mostBytes && this.rows.length > 1) {
      const place = this.random.integer(this.rows.length);
      const last = this.rows.pop()!;
      const left = place < this.rows.length ? this.rows[place]! : last;
      if (place < this.rows.length) this.rows[place] = last;
      this.bytes -= left.bytes;
    }
    this.size = Math.min(this.size, this.rows.length);
  }
}

const bytesOf = (cells: readonly string[]): number =>
  cells.reduce((bytes, cell) => bytes + 2 * cell.length + CELL_BYTES, 0);
