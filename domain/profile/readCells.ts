/** The cells of a column that are there, in one way of reading them: numbers of a dress, and strays. */
import type { Dress } from '../dress/dress.ts';
import { type CellReader, readerOf } from '../dress/readCell.ts';
import { NumberScanner } from '../table/scanNumber.ts';
import { ownText } from '../table/textDictionary.ts';
import type { Sighting } from './columnSummary.ts';
import type { NumberSummariser } from './summariseNumbers.ts';

const STRAYS = 5;

const scanner = new NumberScanner();

export class CellReading {
  readonly dress: Dress | undefined;
  readonly numbers: NumberSummariser;
  /** The first texts that are no numbers. */
  readonly strays: Sighting[] = [];
  private readonly read: CellReader;

  constructor(dress: Dress | undefined, numbers: NumberSummariser) {
    this.dress = dress;
    this.numbers = numbers;
    this.read = readerOf(dress);
  }

  /** Takes a text that is a number in the dress; false where it is none. */
  take(text: string, times: number, row: number): boolean {
    if (!this.read(text, scanner)) return false;
    this.numbers.add(scanner, times, row);
    return true;
  }

  takeStray(text: string, times: number, row: number): void {
    const { strays } = this;
    for (let i = 0; i < strays.length; i++) {
      if (strays[i]!.text !== text) continue;
      strays[i]!.count += times;
      return;
    }
    if (strays.length < STRAYS) strays.push({ text: ownText(text), row, count: times });
  }
}
