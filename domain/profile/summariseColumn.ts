/** One column of an upload, cell after cell, in bounded memory. */
import { type Dress, learnDress, plainText } from '../dress/dress.ts';
import { isMissing } from '../table/missing.ts';
import { NumberScanner } from '../table/scanNumber.ts';
import type { ColumnSummary, Sighting } from './columnSummary.ts';
import type { DistinctCounter } from './distinctCounter.ts';
import { FrequentLevels } from './frequentLevels.ts';
import { LevelCounts } from './levelCounts.ts';
import { CellTally, TOKENS } from './lookAtCells.ts';
import { isMissingMark, numericSentinels } from './missingMarks.ts';
import type { ColumnProfile } from './profile.ts';
import type { QuantileSketch } from './quantileSketch.ts';
import type { CellReading } from './readCells.ts';

const TOP_LEVELS = 100;
/** Levels whose counts go on when a column has too many levels: the most frequent by then. */
const FREQUENT_LEVELS = 1000;
/** Characters of the levels of one column, at most. */
const LEVEL_CHARACTERS = 2 ** 20;
/** Cells that have to be numbers or times before another text is taken for a missing cell. */
const DRESSED_SHARE = 0.9;

const scanner = new NumberScanner();

/**
 * While a column has few distinct texts, each is looked at once, at the end, with its count. Beyond `mostLevels` each
 * further cell is looked at when it comes, distinct texts are counted by hash, and only frequent levels are counted on.
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

  /** Takes the cells that stand at `place` of some rows. */
  add(rows: readonly (readonly string[])[], place: number): void {
    let next = 0;
    while (next < rows.length && !this.frequent) this.addToLevels(rows[next++]![place]!);
    if (this.frequent) for (; next < rows.length; next++) this.addBeyond(rows[next]![place]!, this.frequent);
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
      dress: numbers && dressOf(reading.dress, numbers, present, isAmbiguous),
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

  /** Marks such as "-" are missing cells where nearly all other cells are numbers or times, and texts elsewhere. */
  private takeMarks({ numbers }: CellReading): Sighting[] {
    const marks = [...this.cells.marks.values()];
    const count = marks.reduce((sum, mark) => sum + mark.count, 0);
    const others = this.rows - this.cells.missing - count;
    const areMissing = numbers.count > 0 && numbers.count >= DRESSED_SHARE * others;
    for (const mark of marks) {
      if (areMissing) this.cells.takeMissing(mark);
      else this.cells.keepMark(mark);
    }
    return areMissing ? marks : [];
  }

  /** Numbers such as -999 that are far from all others. */
  private takeSentinels(topLevels: readonly Sighting[], { dress, numbers }: CellReading): Sighting[] {
    const { cells } = this;
    if (dress?.kind === 'time' || numbers.count < DRESSED_SHARE * (this.rows - cells.missing)) return [];
    const values = topLevels.flatMap((level) => {
      const plain = dress ? plainText(level.text, dress) : level.text;
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

  /** Distinct texts that were counted before they were known to stand for missing cells. */
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

  /** Whether no two cells are alike matters where they may be identifiers: those are no times and have no decimals or units. */
  private mayIdentify(): boolean {
    const { dress, numbers } = this.cells.reading().reading;
    if (dress?.kind === 'time' || numbers.hasDecimals()) return false;
    return dress?.kind !== 'decorated' || dress.thousands + dress.prefix + dress.suffix === '';
  }

  private lookAtLevels(): void {
    const texts = this.levels.texts.filter((text) => !isMissing(text) && !isMissingMark(text));
    this.cells.wear(learnDress(texts));
    this.levels.forEach((text, count, row) => {
      this.cells.lookAt(text, count, row);
    });
  }
}

/** Cells that are numbers without more are plain, even if they are few among the distinct texts. */
function dressOf(
  dress: Dress | undefined,
  { count, format }: NonNullable<ColumnProfile['numbers']>,
  present: number,
  isAmbiguous: boolean,
): Dress | null {
  if (dress?.kind === 'time') return { ...dress, format, ...(isAmbiguous ? { ambiguous: true } : {}) };
  if (dress) return { ...dress, format };
  return count >= DRESSED_SHARE * present ? { kind: 'plain', format } : null;
}
