/** The cells of a column as they are looked at: missing, perhaps missing, numbers in the column's dress, or strays. */
import type { Dress } from '../dress/dress.ts';
import { type CellReader, readerOf } from '../dress/readCell.ts';
import { lowHash } from '../table/cellHash.ts';
import { isMissing } from '../table/missing.ts';
import { NumberScanner } from '../table/scanNumber.ts';
import { ownText } from '../table/textDictionary.ts';
import type { Sighting } from './columnSummary.ts';
import type { DistinctCounter } from './distinctCounter.ts';
import { isMissingMark } from './missingMarks.ts';
import type { NumberSummariser } from './summariseNumbers.ts';

const STRAYS = 5;
/** Texts for missing cells that are kept apart. */
export const TOKENS = 20;

const scanner = new NumberScanner();

export class CellTally {
  missing = 0;
  readonly distinct: DistinctCounter;
  readonly numbers: NumberSummariser;
  /** Texts that stand for a missing cell. */
  readonly tokens = new Map<string, Sighting>();
  /** Texts that may stand for a missing cell; what they are is known at the end. */
  readonly marks = new Map<string, Sighting>();
  /** The first texts that are neither missing nor numbers. */
  readonly strays: Sighting[] = [];
  first: Sighting | null = null;
  readonly lengths = { min: Number.POSITIVE_INFINITY, max: 0, sum: 0 };
  private read: CellReader = readerOf(undefined);

  constructor(distinct: DistinctCounter, numbers: NumberSummariser) {
    this.distinct = distinct;
    this.numbers = numbers;
  }

  /** The dress in which cells are read from here on. */
  wear(dress: Dress | undefined): void {
    this.read = readerOf(dress);
  }

  /** Gives the low word of the text's hash; 0 for a missing cell. No text that is missing, or may be, is a number. */
  lookAt(text: string, times: number, row: number): number {
    if (this.read(text, scanner)) {
      this.numbers.add(scanner, times);
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

  private takeStray(text: string, times: number, row: number): void {
    const { strays } = this;
    for (let i = 0; i < strays.length; i++) {
      if (strays[i]!.text !== text) continue;
      strays[i]!.count += times;
      return;
    }
    if (strays.length < STRAYS) strays.push({ text: ownText(text), row, count: times });
  }
}
