/**
 * Text lengths, drawn before the text by a classification tree given the row, as part of its prefix: a briefly trained
 * network does not learn that titles end at 50 characters. Texts of another length get a new end.
 */
import { z } from 'zod';
import { normalQuantile } from '../../../numerics/special/normal.ts';
import { categoryChain } from '../categorical/categoryChain.ts';
import {
  type CategoryColumn,
  type FitTask,
  type JsonValue,
  type ModelColumn,
  type ModelTable,
  type SampleTask,
  textColumn,
} from '../model.ts';

export const lengthsSchema = z.object({
  /** Unique in the table. */
  name: z.string(),
  /** Bin k is (edges[k - 1], edges[k]] in characters, with `shares[k]` of the texts. */
  edges: z.array(z.number()),
  shortest: z.number().default(0),
  shares: z.array(z.number()),
  /** Saved by `categoryChain`. */
  tree: z.custom<JsonValue>(),
});
export type Lengths = z.infer<typeof lengthsSchema>;

const BINS = 16;
/**
 * Tolerance relative to a bin's ends; none for atoms or the longest text, nor if earlier errors in the same direction
 * exceed a text.
 */
const SLACK = 0.05;
/** Minimum length relative to the bin's start. */
const EARLY = 0.85;
/**
 * An atom is a narrow bin of at most 3 lengths, twice as frequent as those above, such as messages of 140 characters,
 * where real texts are cut. Texts end there more easily, and are rewritten more often, since networks do not count
 * characters.
 */
const ATOM_LENGTHS = 3;
const ATOM_DENSITY = 2;
const EAGER_IN_ATOM = 10;
const EAGER_BEYOND = 100;
/** END is favoured, since texts ending only after words missed some ends; not in the first bin. */
const EAGER_IN_BIN = 4;
/** Favours ends of sentences, not of words. */
const EAGER_BEYOND_BIN = 20;
/** Maximum rewrites of an end; `atom` also for out-of-range texts and cheap single lines. */
const MAX_TRIES = { bin: 2, atom: 4 } as const;
const A_LINE = 80;
/** Share of a text that stays at each rewrite; short ones are rewritten whole. */
const STAYING = 0.75;
const SHORT_TEXT = 12;

/** In code points. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

function binOf(edges: readonly number[], length: number): number {
  const bin = edges.findIndex((edge) => length <= edge);
  return bin < 0 ? edges.length - 1 : bin;
}

/** Ignores empty and missing cells. */
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

/** Returns quantiles; a length of over half a bin becomes a bin. */
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

/** Normal scores of bin middles, by level. */
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

export function withLengths(table: ModelTable, columns: readonly string[], of: readonly Lengths[]): ModelTable {
  return columns.reduce(
    (wider, column, k) => withColumn(wider, binsOf(of[k]!, textColumn(table, column).values)),
    table,
  );
}

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

/** Cost of a text's bin in nats. */
export const lengthNats = ({ edges, shares }: Lengths, text: string): number =>
  -Math.log(Math.max(shares[binOf(edges, lengthOf(text))] ?? 0, Number.MIN_VALUE));

export interface LengthJudge {
  /** Minimum characters. */
  earliest(row: number): number;
  /** Factor of END's probability. */
  eagerness(row: number, characters: number): number;
  /** Characters above (or below) the bin. */
  beside(row: number, text: string): number;
  /** Characters beyond the tolerance, given earlier errors `ahead`. */
  miss(row: number, text: string, ahead: number): number;
  mayTryAgain(row: number, text: string, tries: number): boolean;
  /** Characters kept at the given rewrite (1, 2, …). */
  stays(row: number, text: string, tries: number): number;
}

const firstOf = (edges: readonly number[], bin: number): number => (bin < 1 ? 0 : edges[bin - 1]! + 1);

function atomsOf({ edges, shares }: Lengths): boolean[] {
  const density = (bin: number): number => shares[bin]! / (edges[bin]! - firstOf(edges, bin) + 1);
  return edges.map((edge, bin) => {
    const isNarrow = edge - firstOf(edges, bin) < Math.min(ATOM_LENGTHS, SLACK * edge);
    if (bin === 0 || !isNarrow) return false;
    const late = edge * (1 + SLACK);
    return late > edges.at(-1)! || density(bin) >= ATOM_DENSITY * density(binOf(edges, late));
  });
}

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
