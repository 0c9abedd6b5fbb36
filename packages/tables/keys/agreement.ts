/** Whether rows of one value belong together: columns that agree within it, and not between neighbouring values. */

/** Cells of the row sample, column by column, in the file's order of rows; null is a missing cell. */
export type SampledCells = readonly (readonly (string | null)[])[];

export interface Agreement {
  /** Index of the column that agrees. */
  column: number;
  /** Shares of pairs of rows that agree in it: of one value, and of a value and the next one in order. */
  within: number;
  between: number;
}

/** Pairs of rows that are compared, at most, and other columns that are looked at. */
const MAX_PAIRS = 2000;
const MAX_COLUMNS = 200;
/** Fewer pairs prove nothing. */
const MIN_PAIRS = 40;
/** What is constant within a value, but for slips; and what agrees by chance, or because quantities are near each other. */
const CONSTANT = 0.9;
const BY_CHANCE = 0.75;
/** Standard errors by which two shares differ, and a difference that says nothing however many pairs there are. */
const ERRORS = 4;
const SLIGHT = 0.05;
/** Values of another column for each key, at most: one that has as many says when or where, not who. */
const LEVELS_PER_KEY = 0.5;

/**
 * The column in which rows of one value of column `at` agree most clearly. Rows of neighbouring values agree nearly as often
 * where the column is a quantity, and more or less often than any two rows where it is a time: of those of a key, neighbours
 * are strangers. Undefined where no column shows it.
 */
export function agreementWithin(cells: SampledCells, at: number): Agreement | undefined {
  const key = cells[at] ?? [];
  const { within, between } = pairsOf(key);
  const strangers = between.map(([row], i): Pair => [row, between[(i + (between.length >> 1)) % between.length]![1]]);
  const keys = new Set(key).size;
  let best: Agreement | undefined;
  for (let column = 0; column < Math.min(cells.length, MAX_COLUMNS); column++) {
    const other = cells[column]!;
    if (column === at || new Set(other).size > LEVELS_PER_KEY * keys) continue;
    const [same, next, any] = [agreeing(other, within), agreeing(other, between), agreeing(other, strangers)];
    const isConstant = same.share >= CONSTANT && next.share <= BY_CHANCE && differ(same, next);
    if (!isConstant || differ(next, any)) continue;
    const gap = same.share - next.share;
    if (!best || gap > best.within - best.between) best = { column, within: same.share, between: next.share };
  }
  return best;
}

interface Agreeing {
  share: number;
  pairs: number;
}

function differ(a: Agreeing, b: Agreeing): boolean {
  const error = Math.sqrt((a.share * (1 - a.share)) / a.pairs + (b.share * (1 - b.share)) / b.pairs);
  return Math.abs(a.share - b.share) > Math.max(SLIGHT, ERRORS * error);
}

type Pair = readonly [number, number];

/** Rows that follow each other within one value; and the last row of a value with the first of the next value in order. */
function pairsOf(key: readonly (string | null)[]): { within: Pair[]; between: Pair[] } {
  const rows = [...key.keys()].filter((row) => key[row] !== null);
  rows.sort((a, b) => inOrder(key[a]!, key[b]!) || a - b);
  const [within, between]: [Pair[], Pair[]] = [[], []];
  for (let i = 1; i < rows.length; i++) {
    const pair: Pair = [rows[i - 1]!, rows[i]!];
    (key[pair[0]] === key[pair[1]] ? within : between).push(pair);
  }
  return { within: spread(within), between: spread(between) };
}

/** Digits by their number, since a shorter one is a smaller one; other texts by their characters. */
const inOrder = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

function spread(pairs: readonly Pair[]): Pair[] {
  const count = Math.min(pairs.length, MAX_PAIRS);
  return Array.from({ length: count }, (_, i) => pairs[Math.floor((i * pairs.length) / count)]!);
}

/** The share of the pairs that agree; of too few pairs, NaN, which is neither large nor small. */
function agreeing(cells: readonly (string | null)[], pairs: readonly Pair[]): Agreeing {
  let [agree, there] = [0, 0];
  for (const [a, b] of pairs) {
    if (cells[a] === null || cells[b] === null) continue;
    there++;
    if (cells[a] === cells[b]) agree++;
  }
  return { share: there < MIN_PAIRS ? Number.NaN : agree / there, pairs: there };
}
