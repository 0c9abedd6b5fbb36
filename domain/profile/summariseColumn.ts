/** One column of an upload, cell after cell, in bounded memory. */
import { isMissing } from '../table/missing.ts';
import { NumberScanner } from '../table/scanNumber.ts';
import { ownText, TextDictionary } from '../table/textDictionary.ts';
import type { DistinctCounter } from './distinctCounter.ts';
import type { ColumnProfile } from './profile.ts';
import type { QuantileSketch } from './quantileSketch.ts';
import { NumberSummariser } from './summariseNumbers.ts';

/** What all cells of a column say: parts of its profile, and what detection wants to know besides. */
export interface ColumnSummary
  extends Pick<
    ColumnProfile,
    'name' | 'missing' | 'missing_token' | 'distinct' | 'distinct_exact' | 'top_levels' | 'numbers' | 'lengths'
  > {
  rows: number;
  /** Numbers with a zero before another digit: "007". */
  leadingZeros: number;
  /** The numbers are n, n + 1, n + 2 … in the file's order. */
  isRunning: boolean;
  /** The first texts that are neither missing nor numbers; at most five. */
  strays: string[];
}

const TOP_LEVELS = 100;
/** Levels whose counts go on when a column has too many levels: the most frequent by then. */
const FREQUENT_LEVELS = 1000;
/** Characters of the levels of one column, at most. */
const LEVEL_CHARACTERS = 2 ** 20;
const STRAYS = 5;
const TOKENS = 20;

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
  private levels = new TextDictionary();
  private counts = new Uint32Array(16);
  private characters = 0;
  private hasManyLevels = false;
  private rows = 0;
  private missing = 0;
  private readonly tokens = new Map<string, number>();
  private readonly strays: string[] = [];
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
    const present = this.rows - this.missing;
    const { min, max, sum } = this.lengths;
    return {
      name: this.name,
      rows: this.rows,
      missing: this.missing,
      missing_token: mostFrequent(this.tokens),
      distinct: this.distinct.count(),
      distinct_exact: this.distinct.isExact(),
      top_levels: this.frequentLevels(TOP_LEVELS, 1),
      numbers: this.numbers.numbers(),
      lengths: present > 0 ? { min, mean: sum / present, max } : null,
      leadingZeros: this.numbers.leadingZeros,
      isRunning: this.numbers.isRunning,
      strays: this.strays,
    };
  }

  private addToLevels(cell: string): void {
    const known = this.levels.texts.length;
    const code = this.levels.encode(cell);
    if (code === known) this.addLevel(cell, code);
    this.counts[code]!++;
    if (known >= this.mostLevels || this.characters > LEVEL_CHARACTERS) this.stopKeepingLevels();
  }

  private addLevel(cell: string, code: number): void {
    this.characters += cell.length;
    if (code < this.counts.length) return;
    const counts = new Uint32Array(2 * code);
    counts.set(this.counts);
    this.counts = counts;
  }

  private addBeyond(cell: string): void {
    this.lookAt(cell, 1);
    const code = this.levels.encode(cell, this.levels.texts.length);
    if (code >= 0) this.counts[code]!++;
  }

  private stopKeepingLevels(): void {
    this.lookAtLevels();
    const frequent = this.frequentLevels(FREQUENT_LEVELS, 2);
    this.levels = new TextDictionary();
    this.counts = Uint32Array.from(frequent, ([, count]) => count);
    for (const [level] of frequent) this.levels.encode(level);
    this.hasManyLevels = true;
    // Whether no two cells are alike matters where they may be identifiers, which have no decimals.
    if (this.numbers.hasDecimals()) this.distinct.allowEstimate();
  }

  private lookAtLevels(): void {
    for (const [code, text] of this.levels.texts.entries()) this.lookAt(text, this.counts[code]!);
  }

  private lookAt(text: string, times: number): void {
    if (isMissing(text)) {
      this.missing += times;
      if (this.tokens.has(text) || this.tokens.size < TOKENS) {
        this.tokens.set(ownText(text), (this.tokens.get(text) ?? 0) + times);
      }
      return;
    }
    this.distinct.add(text);
    const { lengths } = this;
    lengths.sum += text.length * times;
    if (text.length < lengths.min) lengths.min = text.length;
    if (text.length > lengths.max) lengths.max = text.length;
    if (scanner.scan(text)) this.numbers.add(scanner, times);
    else if (this.strays.length < STRAYS && !this.strays.includes(text)) this.strays.push(ownText(text));
  }

  /** Levels that are not missing with their counts, the most frequent first, equals in the order of appearance. */
  private frequentLevels(most: number, leastCount: number): [string, number][] {
    const levels: [string, number][] = [];
    for (const [code, text] of this.levels.texts.entries()) {
      if (this.counts[code]! >= leastCount && !isMissing(text)) levels.push([text, this.counts[code]!]);
    }
    return levels.sort((a, b) => b[1] - a[1]).slice(0, most);
  }
}

function mostFrequent(tokens: ReadonlyMap<string, number>): string {
  const [first] = [...tokens].sort((a, b) => b[1] - a[1]);
  return first?.[0] ?? '';
}
