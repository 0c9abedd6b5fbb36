import type { CellFormat, ColumnProfile } from '../../contract/columns.ts';
import { inferCellFormat, plainText } from '../format/cellFormat.ts';
import { NumberScanner } from '../format/number.ts';
import { isMissing, isMissingMark, numericSentinels, type Sighting } from '../missing.ts';
import { TextDictionary } from '../textDictionary.ts';
import { type DistinctCounter, lowHash } from './distinctCounter.ts';
import { CellTally, type ColumnSummary, TOKENS } from './lookAtCells.ts';
import type { QuantileSketch } from './quantileSketch.ts';
import type { CellReading } from './readCells.ts';

class LevelCounts {
  characters = 0;
  private readonly dictionary = new TextDictionary();
  private counts = new Uint32Array(16);
  private firstRows = new Uint32Array(16);

  get texts(): readonly string[] {
    return this.dictionary.texts;
  }

  add(cell: string, row: number): void {
    const known = this.dictionary.texts.length;
    const code = this.dictionary.encode(cell);
    if (code === known) this.addLevel(cell, code, row);
    this.counts[code]!++;
  }

  forEach(look: (text: string, count: number, row: number) => void): void {
    for (const [code, text] of this.texts.entries()) look(text, this.counts[code]!, this.firstRows[code]!);
  }

  frequent(most: number, leastCount: number): Sighting[] {
    const levels: Sighting[] = [];
    this.forEach((text, count, row) => {
      if (count >= leastCount && !isMissing(text)) levels.push({ text, count, row });
    });
    return levels.sort((a, b) => b.count - a.count).slice(0, most);
  }

  private addLevel(cell: string, code: number, row: number): void {
    this.characters += cell.length;
    if (code === this.counts.length) {
      this.counts = doubled(this.counts);
      this.firstRows = doubled(this.firstRows);
    }
    this.firstRows[code] = row;
  }
}

function doubled(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(2 * values.length);
  longer.set(values);
  return longer;
}

const TOP_LEVELS = 100;
/** Levels still counted after an overflow. */
const FREQUENT_LEVELS = 1000;
const LEVEL_CHARACTERS = 2 ** 20;
/** Minimum share of numbers or times before other texts count as missing. */
const FORMATTED_SHARE = 0.9;

const scanner = new NumberScanner();

/**
 * Examines each distinct text once, at the end. Beyond `mostLevels`, examines each cell and counts distinct texts by
 * hash.
 */
export class ColumnSummariser {
  private readonly name: string;
  private readonly mostLevels: number;
  private readonly cells: CellTally;
  private levels = new LevelCounts();
  /** Undefined while all levels are kept. */
  private frequent: FrequentLevels | undefined;
  private rows = 0;

  constructor(name: string, parts: { mostLevels: number; distinct: DistinctCounter; sketch: QuantileSketch }) {
    this.name = name;
    this.mostLevels = parts.mostLevels;
    this.cells = new CellTally(parts.distinct, parts.sketch);
  }

  add(rows: readonly (readonly string[])[], column: number): void {
    let next = 0;
    while (next < rows.length && !this.frequent) this.addToLevels(rows[next++]![column]!);
    if (this.frequent) for (; next < rows.length; next++) this.addBeyond(rows[next]![column]!, this.frequent);
  }

  summary(): ColumnSummary {
    if (!this.frequent) this.lookAtLevels();
    const { cells, frequent, levels } = this;
    const { reading, isAmbiguous } = cells.reading();
    const most = TOP_LEVELS + cells.marks.size;
    const topLevels = frequent ? frequent.frequent(most) : levels.frequent(most, 1);
    const sentinels = [...this.takeMarks(reading), ...this.takeSentinels(topLevels, reading)];
    const gone = new Set(sentinels.map(({ text }) => text));
    const present = this.rows - cells.missing;
    const { min, max, sum } = cells.lengths;
    const numbers = reading.numbers.numbers();
    const tokens = [...cells.tokens.values()].sort((a, b) => b.count - a.count);
    const kept = topLevels.filter(({ text }) => !gone.has(text)).slice(0, TOP_LEVELS);
    return {
      name: this.name,
      rows: this.rows,
      missing: cells.missing,
      missing_token: tokens[0]?.text ?? '',
      missing_tokens: tokens.slice(0, TOKENS).map(({ text, count }) => [text, count]),
      distinct: Math.max(0, cells.distinct.count() - this.numericGone(sentinels)),
      distinct_exact: cells.distinct.isExact(),
      top_levels: kept.map(({ text, count }) => [text, count]),
      format: numbers && formatOf(reading.format, numbers, present, isAmbiguous),
      numbers,
      lengths: present > 0 ? { min, mean: sum / present, max } : null,
      leadingZeros: reading.numbers.leadingZeros,
      isRunning: reading.numbers.isRunning,
      strays: reading.strays,
      first: cells.first,
      firstMissing: tokens.reduce<Sighting | null>((a, b) => (a && a.row < b.row ? a : b), null),
      sentinels,
    };
  }

  /** Marks such as "-" are missing among numbers or times. */
  private takeMarks({ numbers }: CellReading): Sighting[] {
    const marks = [...this.cells.marks.values()];
    const count = marks.reduce((sum, mark) => sum + mark.count, 0);
    const others = this.rows - this.cells.missing - count;
    const areMissing = numbers.count > 0 && numbers.count >= FORMATTED_SHARE * others;
    for (const mark of marks) {
      if (areMissing) this.cells.takeMissing(mark);
      else this.cells.keepMark(mark);
    }
    return areMissing ? marks : [];
  }

  /** So are distant numbers such as -999. */
  private takeSentinels(topLevels: readonly Sighting[], { format, numbers }: CellReading): Sighting[] {
    const { cells } = this;
    if (format?.kind === 'time' || numbers.count < FORMATTED_SHARE * (this.rows - cells.missing)) return [];
    const values = topLevels.flatMap((level) => {
      const plain = format ? plainText(level.text, format) : level.text;
      return plain !== undefined && scanner.scan(plain) ? [{ ...level, value: scanner.value }] : [];
    });
    const found = numericSentinels(values, (without) => numbers.extremes(without));
    return found.map(({ text, count, row, value }) => {
      numbers.remove(value, count);
      cells.lengths.sum -= text.length * count;
      const sighting = { text, count, row };
      cells.takeMissing(sighting);
      return sighting;
    });
  }

  private numericGone(sentinels: readonly Sighting[]): number {
    return sentinels.filter(({ text }) => !this.cells.marks.has(text)).length;
  }

  private addBeyond(cell: string, frequent: FrequentLevels): void {
    this.rows++;
    frequent.add(cell, this.cells.lookAt(cell, 1, this.rows));
  }

  private addToLevels(cell: string): void {
    this.rows++;
    this.levels.add(cell, this.rows);
    const { texts, characters } = this.levels;
    if (texts.length > this.mostLevels || characters > LEVEL_CHARACTERS) this.stopKeepingLevels();
  }

  private stopKeepingLevels(): void {
    this.lookAtLevels();
    this.frequent = new FrequentLevels(this.levels.frequent(FREQUENT_LEVELS, 2));
    this.levels = new LevelCounts();
    if (!this.mayIdentify()) this.cells.distinct.allowEstimate();
  }

  /** Only potential identifiers need exact uniqueness. */
  private mayIdentify(): boolean {
    const { format, numbers } = this.cells.reading().reading;
    if (format?.kind === 'time' || numbers.hasDecimals()) return false;
    return format?.kind !== 'decorated' || format.thousands + format.prefix + format.suffix === '';
  }

  private lookAtLevels(): void {
    const texts = this.levels.texts.filter((text) => !isMissing(text) && !isMissingMark(text));
    this.cells.readAs(inferCellFormat(texts));
    this.levels.forEach((text, count, row) => {
      this.cells.lookAt(text, count, row);
    });
  }
}

/** Plain numbers may be few among the distinct texts. */
function formatOf(
  format: CellFormat | undefined,
  numbers: NonNullable<ColumnProfile['numbers']>,
  present: number,
  isAmbiguous: boolean,
): CellFormat | null {
  if (format?.kind === 'time')
    return { ...format, format: numbers.format, ...(isAmbiguous ? { ambiguous: true } : {}) };
  if (format) return { ...format, format: numbers.format };
  return numbers.count >= FORMATTED_SHARE * present ? { kind: 'plain', format: numbers.format } : null;
}

// Counts levels by hash after an overflow.

/** Levels that collide more often are not counted. */
const LONGEST_PROBE = 32;
const SLOTS_PER_LEVEL = 4;

export class FrequentLevels {
  private readonly levels: readonly Sighting[];
  private readonly texts: readonly string[];
  private readonly counts: Float64Array;
  private readonly hashes: Int32Array;
  private readonly slots: Int32Array;

  constructor(levels: readonly Sighting[]) {
    this.levels = levels;
    this.texts = levels.map(({ text }) => text);
    this.counts = Float64Array.from(levels, ({ count }) => count);
    this.hashes = Int32Array.from(levels, ({ text }) => lowHash(text));
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(SLOTS_PER_LEVEL * levels.length + 1)));
    for (const [entry, hash] of this.hashes.entries()) this.insert(hash, entry);
  }

  add(cell: string, hash: number): void {
    const mask = this.slots.length - 1;
    for (let probe = 0; probe < LONGEST_PROBE; probe++) {
      const entry = this.slots[(hash + probe) & mask]! - 1;
      if (entry < 0) return;
      if (this.hashes[entry] === hash && this.texts[entry] === cell) {
        this.counts[entry]!++;
        return;
      }
    }
  }

  frequent(most: number): Sighting[] {
    const counted = this.levels.map((level, entry) => ({ ...level, count: this.counts[entry]! }));
    return counted.sort((a, b) => b.count - a.count).slice(0, most);
  }

  private insert(hash: number, entry: number): void {
    const mask = this.slots.length - 1;
    for (let probe = 0; probe < LONGEST_PROBE; probe++) {
      const slot = (hash + probe) & mask;
      if (this.slots[slot] !== 0) continue;
      this.slots[slot] = entry + 1;
      return;
    }
  }
}
