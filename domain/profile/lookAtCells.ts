/** The cells of a column as they are looked at: missing, perhaps missing, numbers in the column's dress, or strays. */
import { turnedRound } from '../dress/dayAndMonth.ts';
import type { Dress } from '../dress/dress.ts';
import { lowHash } from '../table/cellHash.ts';
import { isMissing } from '../table/missing.ts';
import { ownText } from '../table/textDictionary.ts';
import type { Sighting } from './columnSummary.ts';
import type { DistinctCounter } from './distinctCounter.ts';
import { isMissingMark } from './missingMarks.ts';
import type { QuantileSketch } from './quantileSketch.ts';
import { CellReading } from './readCells.ts';
import { NumberSummariser } from './summariseNumbers.ts';

/** Texts for missing cells that are kept apart. */
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
  /** The reading of dates with day and month the other way round, as long as nothing tells them apart. */
  private other: CellReading | undefined;
  /** Cells that one of the two readings cannot read, those of the other less those of the main one. */
  private lead = 0;

  constructor(distinct: DistinctCounter, sketch: QuantileSketch) {
    this.distinct = distinct;
    this.sketch = sketch;
    this.main = new CellReading(undefined, new NumberSummariser(sketch));
  }

  /** Before the first cell: the dress in which cells are read. */
  wear(dress: Dress | undefined): void {
    this.main = new CellReading(dress, this.main.numbers);
    const turned = turnedRound(dress);
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
