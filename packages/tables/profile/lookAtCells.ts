import type { CellFormat, ColumnProfile, TimeFormat } from '../../contract/columns.ts';
import { isMissing, isMissingMark, type Sighting } from '../missing.ts';
import { ownText } from '../textDictionary.ts';
import { type DistinctCounter, lowHash } from './distinctCounter.ts';
import { NumberSummariser, type QuantileSketch } from './quantileSketch.ts';
import { CellReading } from './readCells.ts';
export const TOKENS = 20;

export class CellTally {
  missing = 0;
  readonly distinct: DistinctCounter;
  readonly tokens = new Map<string, Sighting>();
  /** May denote missing cells; decided at the end. */
  readonly marks = new Map<string, Sighting>();
  first: Sighting | null = null;
  readonly lengths = { min: Number.POSITIVE_INFINITY, max: 0, sum: 0 };
  private readonly sketch: QuantileSketch;
  private main: CellReading;
  /** Reads day and month swapped, until a cell decides. */
  private other: CellReading | undefined;
  /** Cells only the main reading accepts minus those only the other does. */
  private lead = 0;

  constructor(distinct: DistinctCounter, sketch: QuantileSketch) {
    this.distinct = distinct;
    this.sketch = sketch;
    this.main = new CellReading(undefined, new NumberSummariser(sketch));
  }

  /** Must be called before the first cell. */
  readAs(format: CellFormat | undefined): void {
    this.main = new CellReading(format, this.main.numbers);
    const turned = turnedRound(format);
    this.other = turned && new CellReading(turned, new NumberSummariser(this.sketch.another()));
  }

  /** Returns the better reading. `isAmbiguous`: both fit equally. */
  reading(): { reading: CellReading; isAmbiguous: boolean } {
    const reading = this.other && this.lead < 0 ? this.other : this.main;
    return { reading, isAmbiguous: this.other !== undefined && this.lead === 0 };
  }

  /** Returns the low word of the text's hash; 0 for a missing cell. */
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

  keepMark({ text, count, row }: Sighting): void {
    this.takeStray(text, count, row);
    this.takeText(text, count, row);
  }

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

  private sight(sightings: Map<string, Sighting>, text: string, times: number, row: number): boolean {
    const known = sightings.get(text);
    if (known) known.count += times;
    else if (sightings.size < TOKENS) sightings.set(text, { text: ownText(text), row, count: times });
    else return false;
    return true;
  }

  /** Returns false if the text is a date in neither order. */
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

const DAY_AND_MONTH = /^(DD?|MM?)([-/. ])(DD?|MM?)(\2Y.*)$/;

/** Undefined if the format is not such a date. */
function turnedRound(format: CellFormat | undefined): TimeFormat | undefined {
  if (format?.kind !== 'time') return undefined;
  const [, first = '', mark = '', second = '', rest = ''] = DAY_AND_MONTH.exec(format.pattern) ?? [];
  if (first[0] === second[0]) return undefined;
  // First days of months are ambiguous in one order only.
  return { ...format, pattern: `${second}${mark}${first}${rest}`, unit: format.unit === 'month' ? 'day' : format.unit };
}

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
  leadingZeros: number;
  /** The numbers are n, n + 1, n + 2 … in file order. */
  isRunning: boolean;
  /** At most five texts, neither missing nor numbers. */
  strays: Sighting[];
  first: Sighting | null;
  firstMissing: Sighting | null;
  /** Missing in this column only. */
  sentinels: Sighting[];
}
