/** The cells of a column as they are looked at: missing, perhaps missing, numbers in the column's format, or strays. */
import type { CellFormat, ColumnProfile, TimeFormat } from '../../contract/columns.ts';
import { isMissing, isMissingMark, type Sighting } from '../missing.ts';
import { ownText } from '../textDictionary.ts';
import { type DistinctCounter, lowHash } from './distinctCounter.ts';
import { NumberSummariser, type QuantileSketch } from './quantileSketch.ts';
import { CellReading } from './readCells.ts';
/** Distinct texts for missing cells that are kept. */
export const TOKENS = 20;

export class CellTally {
  missing = 0;
  readonly distinct: DistinctCounter;
  /** Texts that stand for a missing cell. */
  readonly tokens = new Map<string, Sighting>();
  /** Texts that may stand for a missing cell; what they are is known at the end. */
  readonly marks = new Map<string, Sighting>();
  first: Sighting | null = null;
  readonly lengths = { min: Number.POSITIVE_INFINITY, max: 0, sum: 0 };
  private readonly sketch: QuantileSketch;
  private main: CellReading;
  /** The reading of dates with day and month the other way round, as long as no cell decides. */
  private other: CellReading | undefined;
  /** Cells that one of the two readings cannot read, those of the other less those of the main one. */
  private lead = 0;

  constructor(distinct: DistinctCounter, sketch: QuantileSketch) {
    this.distinct = distinct;
    this.sketch = sketch;
    this.main = new CellReading(undefined, new NumberSummariser(sketch));
  }

  /** Before the first cell: the format in which cells are read. */
  readAs(format: CellFormat | undefined): void {
    this.main = new CellReading(format, this.main.numbers);
    const turned = turnedRound(format);
    this.other = turned && new CellReading(turned, new NumberSummariser(this.sketch.another()));
  }

  /** The reading that more cells bear out. `isAmbiguous`: another one bears as well. */
  reading(): { reading: CellReading; isAmbiguous: boolean } {
    const reading = this.other && this.lead < 0 ? this.other : this.main;
    return { reading, isAmbiguous: this.other !== undefined && this.lead === 0 };
  }

  /** Gives the low word of the text's hash; 0 for a missing cell. No text that is missing, or may be, is a number. */
  lookAt(text: string, times: number, row: number): number {
    if (this.other ? this.takeEither(text, times, row, this.other) : this.main.take(text, times, row)) {
      return this.takeText(text, times, row);
    }
    if (isMissing(text)) {
      this.missing += times;
      this.sight(this.tokens, text, times, row);
      return 0;
    }
    if (isMissingMark(text) && this.sight(this.marks, text, times, row)) return lowHash(text);
    this.takeStray(text, times, row);
    return this.takeText(text, times, row);
  }

  /** A mark that turned out to be a text like others. */
  keepMark({ text, count, row }: Sighting): void {
    this.takeStray(text, count, row);
    this.takeText(text, count, row);
  }

  /** A text that turned out to stand for a missing cell. */
  takeMissing(sighting: Sighting): void {
    this.missing += sighting.count;
    this.tokens.set(sighting.text, sighting);
  }

  private takeText(text: string, times: number, row: number): number {
    const { lengths } = this;
    const { length } = text;
    lengths.sum += length * times;
    if (length < lengths.min) lengths.min = length;
    if (length > lengths.max) lengths.max = length;
    if (this.first === null || row < this.first.row) this.first = { text: ownText(text), row, count: times };
    return this.distinct.add(text);
  }

  /** Counts a text that is there; false where there is no room for a new one. */
  private sight(sightings: Map<string, Sighting>, text: string, times: number, row: number): boolean {
    const known = sightings.get(text);
    if (known) known.count += times;
    else if (sightings.size < TOKENS) sightings.set(text, { text: ownText(text), row, count: times });
    else return false;
    return true;
  }

  /** False where the text is a date in neither order. */
  private takeEither(text: string, times: number, row: number, other: CellReading): boolean {
    const inMain = this.main.take(text, times, row);
    const inOther = other.take(text, times, row);
    if (inMain === inOther) return inMain;
    this.lead += inMain ? times : -times;
    (inMain ? other : this.main).takeStray(text, times, row);
    return true;
  }

  private takeStray(text: string, times: number, row: number): void {
    this.main.takeStray(text, times, row);
    this.other?.takeStray(text, times, row);
  }
}

// Dates in which day and month may stand either way round.

const DAY_AND_MONTH = /^(DD?|MM?)([-/. ])(DD?|MM?)(\2Y.*)$/;

/** The format that reads the day for the month; undefined where the format is no date of digits that can be turned round. */
function turnedRound(format: CellFormat | undefined): TimeFormat | undefined {
  if (format?.kind !== 'time') return undefined;
  const [, first = '', mark = '', second = '', rest = ''] = DAY_AND_MONTH.exec(format.pattern) ?? [];
  if (first[0] === second[0]) return undefined;
  // Days that are all the first of a month are so in one order only.
  return { ...format, pattern: `${second}${mark}${first}${rest}`, unit: format.unit === 'month' ? 'day' : format.unit };
}

// What all cells of a column say.

/** Parts of a column's profile, and what detection wants to know besides. */
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
    | 'format'
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
