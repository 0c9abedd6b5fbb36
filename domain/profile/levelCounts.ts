/** Distinct texts of a column with their counts and first rows. */
import { isMissing } from '../table/missing.ts';
import { TextDictionary } from '../table/textDictionary.ts';

export class LevelCounts {
  /** Of all levels together. */
  characters = 0;
  private dictionary = new TextDictionary();
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

  /** Counts a cell where it is a level already. */
  addKnown(cell: string): void {
    const code = this.dictionary.encode(cell, this.dictionary.texts.length);
    if (code >= 0) this.counts[code]!++;
  }

  forEach(look: (text: string, count: number, row: number) => void): void {
    for (const [code, text] of this.texts.entries()) look(text, this.counts[code]!, this.firstRows[code]!);
  }

  /** 0 where it is unknown. */
  firstRowOf(text: string): number {
    const code = this.dictionary.encode(text, 0);
    return code < 0 ? 0 : this.firstRows[code]!;
  }

  /** Levels that are not missing with their counts, the most frequent first, equals in the order of appearance. */
  frequent(most: number, leastCount: number): [string, number][] {
    const levels: [string, number][] = [];
    this.forEach((text, count) => {
      if (count >= leastCount && !isMissing(text)) levels.push([text, count]);
    });
    return levels.sort((a, b) => b[1] - a[1]).slice(0, most);
  }

  /** Forgets all levels but these. */
  keep(levels: readonly (readonly [string, number])[]): void {
    this.firstRows = Uint32Array.from(levels, ([text]) => this.firstRowOf(text));
    this.counts = Uint32Array.from(levels, ([, count]) => count);
    this.dictionary = new TextDictionary();
    for (const [text] of levels) this.dictionary.encode(text);
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
