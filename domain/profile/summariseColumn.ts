/** One column of an upload, cell after cell, in bounded memory. */
import { type Dress, learnDress, plainText, undress } from '../dress/dress.ts';
import { isMissing } from '../table/missing.ts';
import { NumberScanner } from '../table/scanNumber.ts';
import { ownText } from '../table/textDictionary.ts';
import type { DistinctCounter } from './distinctCounter.ts';
import { LevelCounts } from './levelCounts.ts';
import { isMissingMark, numericSentinels } from './missingMarks.ts';
import type { ColumnProfile } from './profile.ts';
import type { QuantileSketch } from './quantileSketch.ts';
import { NumberSummariser } from './summariseNumbers.ts';

/** A text, where it stands first (rows count from 1 below the header) and how often. */
export interface Sighting {
  text: string;
  row: number;
  count: number;
}

/** What all cells of a column say: parts of its profile, and what detection wants to know besides. */
export interface ColumnSummary
  extends Pick<
    ColumnProfile,
    | 'name'
    | 'missing'
    | 'missing_token'
    | 'missing_tokens'
    | 'distinct'
    | 'distinct_exact'
    | 'top_levels'
    | 'dress'
    | 'numbers'
    | 'lengths'
  > {
  rows: number;
  /** Numbers with a zero before another digit: "007". */
  leadingZeros: number;
  /** The numbers are n, n + 1, n + 2 … in the file's order. */
  isRunning: boolean;
  /** The first texts that are neither missing nor numbers; at most five. */
  strays: Sighting[];
  /** The first cell that is not missing. */
  first: Sighting | null;
  /** The first cell that is missing. */
  firstMissing: Sighting | null;
  /** Texts that mean a missing cell in this column only, and were counted as such. */
  sentinels: Sighting[];
}

const TOP_LEVELS = 100;
/** Levels whose counts go on when a column has too many levels: the most frequent by then. */
const FREQUENT_LEVELS = 1000;
/** Characters of the levels of one column, at most. */
const LEVEL_CHARACTERS = 2 ** 20;
const STRAYS = 5;
const TOKENS = 20;
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
  private readonly distinct: DistinctCounter;
  private readonly numbers: NumberSummariser;
  private readonly levels = new LevelCounts();
  private hasManyLevels = false;
  private dress: Dress | undefined;
  private rows = 0;
  private missing = 0;
  private readonly tokens = new Map<string, Sighting>();
  /** Texts that may stand for a missing cell; what they are is known at the end. */
  private readonly marks = new Map<string, Sighting>();
  private readonly strays: Sighting[] = [];
  private first: Sighting | null = null;
  private lengths = { min: Number.POSITIVE_INFINITY, max: 0, sum: 0 };

  constructor(name: string, parts: { mostLevels: number; distinct: DistinctCounter; sketch: QuantileSketch }) {
    this.name = name;
    this.mostLevels = parts.mostLevels;
    this.distinct = parts.distinct;
    this.numbers = new NumberSummariser(parts.sketch);
  }

  add(cell: string): void {
    this.rows++;
    if (this.hasManyLevels) this.addBeyond(cell);
    else this.addToLevels(cell);
  }

  summary(): ColumnSummary {
    if (!this.hasManyLevels) this.lookAtLevels();
    const topLevels = this.levels.frequent(TOP_LEVELS + this.marks.size, 1);
    const sentinels = [...this.takeMarks(), ...this.takeSentinels(topLevels)];
    const gone = new Set(sentinels.map(({ text }) => text));
    const present = this.rows - this.missing;
    const { min, max, sum } = this.lengths;
    const numbers = this.numbers.numbers();
    const tokens = [...this.tokens.values()].sort((a, b) => b.count - a.count);
    return {
      name: this.name,
      rows: this.rows,
      missing: this.missing,
      missing_token: tokens[0]?.text ?? '',
      missing_tokens: tokens.slice(0, TOKENS).map(({ text, count }) => [text, count]),
      distinct: Math.max(0, this.distinct.count() - this.numericGone(sentinels)),
      distinct_exact: this.distinct.isExact(),
      top_levels: topLevels.filter(([text]) => !gone.has(text)).slice(0, TOP_LEVELS),
      dress: numbers && this.dressWith(numbers, present),
      numbers,
      lengths: present > 0 ? { min, mean: sum / present, max } : null,
      leadingZeros: this.numbers.leadingZeros,
      isRunning: this.numbers.isRunning,
      strays: this.strays,
      first: this.first,
      firstMissing: tokens.reduce<Sighting | null>((a, b) => (a && a.row < b.row ? a : b), null),
      sentinels,
    };
  }

  /** Cells that are numbers without more are plain, even if they are few among the distinct texts. */
  private dressWith(numbers: NonNullable<ColumnProfile['numbers']>, present: number): Dress | null {
    if (this.dress) return { ...this.dress, format: numbers.format };
    return numbers.count >= DRESSED_SHARE * present ? { kind: 'plain', format: numbers.format } : null;
  }

  /** Marks such as "-" are missing cells where nearly all other cells are numbers or times, and texts elsewhere. */
  private takeMarks(): Sighting[] {
    const marks = [...this.marks.values()];
    const count = marks.reduce((sum, mark) => sum + mark.count, 0);
    const others = this.rows - this.missing - count;
    const areMissing = this.numbers.count > 0 && this.numbers.count >= DRESSED_SHARE * others;
    for (const mark of marks) {
      if (areMissing) this.take(mark);
      else this.lookAtText(mark.text, mark.count, mark.row);
    }
    return areMissing ? marks : [];
  }

  /** Numbers such as -999 that are far from all others. */
  private takeSentinels(topLevels: readonly [string, number][]): Sighting[] {
    if (this.dress?.kind === 'time' || this.numbers.count < DRESSED_SHARE * (this.rows - this.missing)) return [];
    const values = topLevels.flatMap(([text, count]) => {
      const plain = this.dress ? plainText(text, this.dress) : text;
      return plain !== undefined && scanner.scan(plain) ? [{ text, count, value: scanner.value }] : [];
    });
    const found = numericSentinels(values, (without) => this.numbers.extremes(without));
    return found.map(({ text, count, value }) => {
      this.numbers.remove(value, count);
      this.lengths.sum -= text.length * count;
      const sighting = { text, count, row: this.levels.firstRowOf(text) };
      this.take(sighting);
      return sighting;
    });
  }

  private take(sighting: Sighting): void {
    this.missing += sighting.count;
    this.tokens.set(sighting.text, sighting);
  }

  /** Distinct texts that were counted before they were known to stand for missing cells. */
  private numericGone(sentinels: readonly Sighting[]): number {
    return sentinels.filter(({ text }) => !this.marks.has(text)).length;
  }

  private addToLevels(cell: string): void {
    this.levels.add(cell, this.rows);
    const { texts, characters } = this.levels;
    if (texts.length > this.mostLevels || characters > LEVEL_CHARACTERS) this.stopKeepingLevels();
  }

  private addBeyond(cell: string): void {
    this.lookAt(cell, 1, this.rows);
    this.levels.addKnown(cell);
  }

  private stopKeepingLevels(): void {
    this.lookAtLevels();
    this.levels.keep(this.levels.frequent(FREQUENT_LEVELS, 2));
    this.hasManyLevels = true;
    // Whether no two cells are alike matters where they may be identifiers, which have no decimals.
    if (this.numbers.hasDecimals()) this.distinct.allowEstimate();
  }

  private lookAtLevels(): void {
    const texts = this.levels.texts.filter((text) => !isMissing(text) && !isMissingMark(text));
    this.dress = learnDress(texts);
    this.levels.forEach((text, count, row) => {
      this.lookAt(text, count, row);
    });
  }

  private lookAt(text: string, times: number, row: number): void {
    if (isMissing(text)) {
      this.missing += times;
      this.sight(this.tokens, text, times, row);
    } else if (isMissingMark(text) && this.sight(this.marks, text, times, row)) {
      return;
    } else this.lookAtText(text, times, row);
  }

  /** Counts a text that is there; false where there is no room for a new one. */
  private sight(sightings: Map<string, Sighting>, text: string, times: number, row: number): boolean {
    const known = sightings.get(text);
    if (known) known.count += times;
    else if (sightings.size < TOKENS) sightings.set(text, { text: ownText(text), row, count: times });
    else return false;
    return true;
  }

  private lookAtText(text: string, times: number, row: number): void {
    this.distinct.add(text);
    const { lengths, dress } = this;
    lengths.sum += text.length * times;
    if (text.length < lengths.min) lengths.min = text.length;
    if (text.length > lengths.max) lengths.max = text.length;
    if (!this.first || row < this.first.row) this.first = { text: ownText(text), row, count: times };
    if (scanIn(text, dress)) this.numbers.add(scanner, times);
    else this.stray(text, times, row);
  }

  private stray(text: string, times: number, row: number): void {
    const known = this.strays.find((stray) => stray.text === text);
    if (known) known.count += times;
    else if (this.strays.length < STRAYS) this.strays.push({ text: ownText(text), row, count: times });
  }
}

/** True where the text is a number in the dress; the scanner then tells of it. */
function scanIn(text: string, dress: Dress | undefined): boolean {
  if (dress?.kind !== 'time') {
    const plain = dress ? plainText(text, dress) : text;
    return plain !== undefined && scanner.scan(plain);
  }
  const value = undress(text, dress);
  return value !== undefined && (Number.isInteger(value) ? scanner.takeWhole(value) : scanner.scan(String(value)));
}
