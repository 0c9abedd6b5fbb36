/**
 * How long the text of a row is. Its length is drawn before it, given the row, as a bin by a classification tree, and stands
 * in the row's prefix: long reviews go with high ratings, and titles end at 50 characters, which a network of few epochs
 * does not find out by itself. The end of a text of another length is written again.
 */
import { z } from 'zod';
import { normalQuantile } from '../../../numerics/special/normal.ts';
import { categoryChain } from '../categorical/categoryChain.ts';
import {
  type CategoryColumn,
  type FitTask,
  type ModelColumn,
  type ModelTable,
  type SampleTask,
  textColumn,
} from '../model.ts';

export const lengthsSchema = z.object({
  /** Name of the column of bins, which no table of a user has. */
  name: z.string(),
  /** Bin k has lengths above `edges[k - 1]` and at most `edges[k]`, in characters; of all texts it has `shares[k]`. */
  edges: z.array(z.number()),
  /** Characters of the shortest text. */
  shortest: z.number().default(0),
  shares: z.array(z.number()),
  /** The tree, as `categoryChain` saves it. */
  tree: z.json(),
});
export type Lengths = z.infer<typeof lengthsSchema>;

const BINS = 16;
/**
 * A text may miss its bin by this share of the bin's ends, but no atom; nor the longest of the data. It may not where texts before it are
 * longer than their bins by more than a text in all, and it is, too; nor where they are shorter, and it is.
 */
const SLACK = 0.05;
/** A text does not end before this share of what its bin begins with: as far from it, about, as others end late. */
const EARLY = 0.85;
/**
 * A bin of at most so many lengths that is no wider than its slack, each of them so many times as frequent as one a slack above, is an
 * atom: messages of 139 and 140 characters. A text does not end before it, and in it and beyond it ends so many times as
 * easily: a network does not count characters, and real texts are cut there. What is cut so reads less like the column than what
 * has come to its end: a text that misses its atom is written again more often.
 */
const ATOM_LENGTHS = 3;
const ATOM_DENSITY = 2;
const EAGER_IN_ATOM = 10;
const EAGER_BEYOND = 100;
/**
 * In a bin of another kind ends come so many times as easily: a text that may end at the end of a word alone has missed some. Not in the
 * first bin, which is as long as its texts.
 */
const EAGER_IN_BIN = 4;
/** A text that has come beyond a bin of another kind ends so many times as easily: at its next sentence, not at any word. */
const EAGER_BEYOND_BIN = 20;
/**
 * Times that the end of a text is written again for its length, at most; `atom` times that of one that is longer than any text of the
 * data, or shorter, and of a line, which costs little.
 */
const MAX_TRIES = { bin: 2, atom: 4 } as const;
const A_LINE = 80;
/** Share of such a text that stays, the first time; then that of what stayed before. Texts of so few characters are written again whole. */
const STAYING = 0.75;
const SHORT_TEXT = 12;

/** Code points. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Beyond the last edge: the last bin. */
function binOf(edges: readonly number[], length: number): number {
  const bin = edges.findIndex((edge) => length <= edge);
  return bin < 0 ? edges.length - 1 : bin;
}

/** Fits the lengths of the column's texts; empty and missing cells have none. */
export async function fitLengths(task: FitTask, column: string): Promise<Lengths> {
  const texts = textColumn(task.table, column).values;
  const lengths = Float64Array.from(texts.filter(Boolean), (text) => lengthOf(text ?? '')).sort();
  const edges = edgesOf(lengths);
  let name = `length of ${column}`;
  while (task.table.columns.has(name)) name += "'";
  const bins = binsOf({ name, edges }, texts);
  const counts = edges.map(() => 0);
  for (const code of bins.codes) if (code >= 0) counts[code]!++;
  const fitted = await categoryChain.fit({
    ...task,
    table: withColumn(task.table, bins),
    columns: [name],
    settings: { ...task.settings, keepRare: true },
    random: task.random.child('lengths').child(column),
    onProgress: () => task.yieldToEventLoop(),
  });
  const shares = counts.map((count) => count / Math.max(1, lengths.length));
  return { name, edges, shortest: lengths[0] ?? 0, shares, tree: fitted.save() };
}

/** Ends of bins of about equal shares; a length that more than half of a bin's texts have is a bin of its own. */
function edgesOf(sorted: Float64Array): number[] {
  const n = sorted.length;
  const ends = Array.from({ length: BINS }, (_, k) => sorted[Math.ceil(((k + 1) * n) / BINS) - 1] ?? 0);
  const edges = [...new Set(ends)].flatMap((end, k, all) => {
    const before = k === 0 ? 0 : all[k - 1]!;
    const own = sorted.filter((length) => length > before && length <= end);
    const middle = own[Math.floor(own.length / 2)] ?? end;
    const alike = own.filter((length) => length === middle).length;
    return 2 * alike > own.length ? [...(own[0]! < middle ? [middle - 1] : []), middle, end] : [end];
  });
  return [...new Set(edges)];
}

function binsOf({ name, edges }: Pick<Lengths, 'name' | 'edges'>, texts: readonly (string | null)[]): CategoryColumn {
  const levels = edges.map(levelOf);
  const codes = Int32Array.from(texts, (text) => (text ? binOf(edges, lengthOf(text)) : -1));
  return { kind: 'category', name, codes, levels };
}

const levelOf = (edge: number): string => `up to ${edge}`;

/** The normal score of the middle of each bin, by its level. */
export function lengthScores({ edges, shares }: Lengths): Map<string, number> {
  let below = 0;
  return new Map(
    edges.map((edge, k) => {
      const middle = below + shares[k]! / 2;
      below += shares[k]!;
      return [levelOf(edge), normalQuantile(middle)];
    }),
  );
}

const withColumn = (table: ModelTable, column: ModelColumn): ModelTable => ({
  rows: table.rows,
  columns: new Map([...table.columns, [column.name, column]]),
});

/** The table with the bins of its own texts, of the named columns. */
export function withLengths(table: ModelTable, columns: readonly string[], of: readonly Lengths[]): ModelTable {
  return columns.reduce(
    (wider, column, k) => withColumn(wider, binsOf(of[k]!, textColumn(table, column).values)),
    table,
  );
}

/** The rows that are made with bins drawn for their texts. */
export async function drawLengths(task: SampleTask, of: readonly Lengths[]): Promise<ModelTable> {
  let table = task.made;
  for (const { name, tree } of of) {
    const random = task.random.child('lengths').child(name);
    const onProgress = async (): Promise<void> => {
      await task.yieldToEventLoop?.();
    };
    const [bins] = await categoryChain.restore(tree).sample({ ...task, made: table, random, onProgress });
    table = withColumn(table, bins!);
  }
  return table;
}

/** Nats that the bin of a text costs; the network is given it, and then spends less on the text. */
export const lengthNats = ({ edges, shares }: Lengths, text: string): number =>
  -Math.log(Math.max(shares[binOf(edges, lengthOf(text))] ?? 0, Number.MIN_VALUE));

export interface LengthJudge {
  /** Characters before which the row's text does not end; 0 where the row has no length. */
  earliest(row: number): number;
  /** By what the probability of an end is multiplied after so many characters of the row's text. */
  eagerness(row: number, characters: number): number;
  /** Characters by which a text is longer than its row's bin, or less than none by which it is shorter; 0 where the row has none. */
  beside(row: number, text: string): number;
  /** Characters by which a text misses what its row may have, where texts before it are `ahead` longer than their bins in all. */
  miss(row: number, text: string, ahead: number): number;
  /** Whether a text of the row that missed its length after so many others did is written again. */
  mayTryAgain(row: number, text: string, tries: number): boolean;
  /** Characters that stay of such a text, when its end is written again for the first time (1), the second, … */
  stays(row: number, text: string, tries: number): number;
}

const firstOf = (edges: readonly number[], bin: number): number => (bin < 1 ? 0 : edges[bin - 1]! + 1);

/** Whether each bin is an atom. */
function atomsOf({ edges, shares }: Lengths): boolean[] {
  const density = (bin: number): number => shares[bin]! / (edges[bin]! - firstOf(edges, bin) + 1);
  return edges.map((edge, bin) => {
    const isNarrow = edge - firstOf(edges, bin) < Math.min(ATOM_LENGTHS, SLACK * edge);
    if (bin === 0 || !isNarrow) return false;
    const late = edge * (1 + SLACK);
    return late > edges.at(-1)! || density(bin) >= ATOM_DENSITY * density(binOf(edges, late));
  });
}

/** By the bins that `table` has for its rows. */
export function lengthJudge(own: Lengths, table: ModelTable): LengthJudge {
  const { name, edges, shortest } = own;
  const bins = table.columns.get(name);
  const longest = edges.at(-1) ?? 0;
  const binAt = (row: number): number => (bins?.kind === 'category' ? bins.codes[row]! : -1);
  const first = (bin: number): number => firstOf(edges, bin);
  const atoms = atomsOf(own);
  const isAtom = (bin: number): boolean => atoms[bin] ?? false;
  const slackOf = (bin: number): number => (isAtom(bin) ? 0 : SLACK);
  const least = (bin: number): number => first(bin) * (1 - slackOf(bin));
  const beside = (bin: number, length: number): number =>
    bin < 0 ? 0 : Math.min(0, length - first(bin)) + Math.max(0, length - edges[bin]!);
  return {
    earliest: (row) => (isAtom(binAt(row)) ? first(binAt(row)) : EARLY * least(binAt(row))),
    eagerness(row, characters) {
      const bin = binAt(row);
      if (bin < 0 || characters < first(bin)) return 1;
      const isBeyond = characters > edges[bin]!;
      if (isAtom(bin)) return isBeyond ? EAGER_BEYOND : EAGER_IN_ATOM;
      if (isBeyond) return EAGER_BEYOND_BIN;
      return bin === 0 ? 1 : EAGER_IN_BIN;
    },
    beside: (row, text) => beside(binAt(row), lengthOf(text)),
    miss(row, text, ahead) {
      const bin = binAt(row);
      if (bin < 0) return 0;
      const length = lengthOf(text);
      const own = beside(bin, length);
      if (own * ahead > 0 && Math.abs(ahead) > edges[bin]!) return Math.abs(own);
      const most = Math.min(longest, edges[bin]! * (1 + slackOf(bin)));
      return Math.max(0, least(bin) - length, length - most);
    },
    mayTryAgain(row, text, tries) {
      const isStrange = lengthOf(text) > longest || lengthOf(text) < shortest;
      const bin = binAt(row);
      const isLine = bin >= 0 && edges[bin]! <= A_LINE;
      return tries < (isStrange || isLine || isAtom(bin) ? MAX_TRIES.atom : MAX_TRIES.bin);
    },
    stays(row, text, tries) {
      const most = edges[Math.max(0, binAt(row))]!;
      return most <= SHORT_TEXT ? 0 : Math.floor(STAYING ** tries * Math.min(most, lengthOf(text)));
    },
  };
}
