/** Distinct texts of a column with their counts and first rows. */
import { isMissing } from '../table/missing.ts';
import { TextDictionary } from '../table/textDictionary.ts';
import type { Sighting } from './columnSummary.ts';

export class LevelCounts {
  /** Of all levels together. */
  characters = 0;
  private readonly dictionary = new TextDictionary();
  private counts = new Uint32Array(16);
  private firstRows = new Uint32Array(16);

  get texts(): readonly string[] {
    return this.dictionary.texts;
  }

  /** Counts a cell, as a new level where it is one. */
  add(cell: string, row: number): void {
    const known = this.dictionary.texts.length;
    const code = this.dictionary.encode(cell);
    if (code === known) this.addLevel(cell, code, row);
    this.counts[code]!++;
  }

  forEach(look: (text: string, count: number, row: number) => void): void {
    for (const [code, text] of this.texts.entries()) look(text, this.counts[code]!, this.firstRows[code]!);
  }

  /** Levels that are not missing, with their counts and first rows, the most frequent first, equals as they appeared. */
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
