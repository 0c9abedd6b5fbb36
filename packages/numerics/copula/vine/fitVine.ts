import { createStream } from '../../random/createStream.ts';
import { drawRows } from '../../random/draws.ts';
import type { RandomStream } from '../../random/stream.ts';
import type { PairCopula } from '../pairCopula.ts';
import { gridCopula } from '../tll/gridCopula.ts';
import { type GrownEdge, growVine } from './growVine.ts';
import { Observed } from './observed.ts';
import { choicesOf, rowsToFit, type VineHooks, type VineSettings } from './settings.ts';
import { checkStructure, type Vine, type VineData, type VineStructure } from './vine.ts';

/** Above this, rows are shuffled so any prefix is a sample. */
const ROWS_IN_ORDER = 10_000;
/** Shares of edges removed by trial thresholds. */
const THRESHOLD_SHARES = [0.3, 0.6, 0.8, 0.95];

/**
 * Fits a vine, deterministically given the stream. Missing cells are left out by edge. Throws a RangeError for unequal
 * lengths, no columns or invalid settings.
 */
export async function fitVine(data: VineData, settings: VineSettings = {}, hooks: VineHooks = {}): Promise<Vine> {
  const columns = checkData(data, settings);
  const trees = Math.min(columns - 1, treesOf(settings));
  const fitRows = rowsToFit(data, trees, settings);
  const observed = observe(data, fitRows, choicesOf(settings, 0).structureRows, hooks.random);
  if (settings.threshold !== 'mbicv')
    return (await fitAt(observed, trees, settings.threshold ?? 0, settings, hooks)).vine;
  let best = await fitAt(observed, trees, 0, settings, hooks);
  const taus = best.edges.map(({ tau }) => Math.abs(tau)).sort((a, b) => a - b);
  for (const share of THRESHOLD_SHARES) {
    const threshold = taus[Math.floor(share * taus.length)] ?? 0;
    const next = await fitAt(observed, trees, threshold, settings, hooks);
    if (next.gain < best.gain) best = next;
  }
  return best.vine;
}

function treesOf({ structure, truncation }: VineSettings): number {
  const given = typeof structure === 'object' ? structure.array.length : Number.POSITIVE_INFINITY;
  return Math.min(given, typeof truncation === 'number' ? Math.max(0, truncation) : Number.POSITIVE_INFINITY);
}

function checkData({ u, uBelow }: VineData, { structure, givenFirst }: VineSettings): number {
  const columns = u.length;
  if (columns === 0) throw new RangeError('a vine needs columns, and there are none');
  const lengths = [...u, ...(uBelow ?? [])].filter((column) => column !== null).map((column) => column.length);
  if (new Set(lengths).size > 1) throw new RangeError(`a vine's columns have equal lengths, not ${lengths.join(', ')}`);
  if (uBelow !== undefined && uBelow.length !== columns) {
    throw new RangeError(`F(x⁻) is given for ${uBelow.length} of ${columns} columns: give null for continuous ones`);
  }
  if (typeof structure === 'object') checkStructure(structure, columns);
  const stranger = givenFirst?.find((column) => !(Number.isInteger(column) && column >= 0 && column < columns));
  if (stranger !== undefined)
    throw new RangeError(`there is no column ${stranger} among 0 … ${columns - 1} to be given`);
  return columns;
}

function observe({ u, uBelow }: VineData, fitRows: number, structureRows: number, random?: RandomStream): Observed[] {
  const rows = u[0]!.length;
  if (rows <= Math.min(fitRows, structureRows, ROWS_IN_ORDER)) {
    return u.map((column, k) => new Observed(column, uBelow?.[k] ?? null));
  }
  const order = drawRows(rows, fitRows, random ?? createStream(0, 'vine'));
  const take = (column: Float64Array) => {
    const out = new Float64Array(order.length);
    for (let i = 0; i < order.length; i++) out[i] = column[order[i]!]!;
    return out;
  };
  return u.map((column, k) => {
    const below = uBelow?.[k] ?? null;
    return new Observed(take(column), below && take(below));
  });
}

async function fitAt(
  columns: readonly Observed[],
  trees: number,
  threshold: number,
  settings: VineSettings,
  hooks: VineHooks,
): Promise<{ vine: Vine; edges: GrownEdge[]; gain: number }> {
  const choices = choicesOf(settings, threshold);
  const rows = columns[0]!.at.length;
  const gainOf = (edges: readonly GrownEdge[], tree: number) => treeGain(edges, tree, rows, choices.psi0);
  const grown = await growVine({
    columns,
    choices,
    structure: settings.structure ?? 'dissmann',
    trees,
    isWorthwhile: (edges, tree) => settings.truncation !== 'mbicv' || gainOf(edges, tree) < 0,
    givenFirst: new Set(settings.givenFirst),
    everyTau: settings.threshold === 'mbicv',
    hooks,
  });
  const edges = grown.flat();
  const fit = {
    rows,
    structureRows: Math.min(rows, choices.structureRows),
    logLikelihood: edges.reduce((sum, edge) => sum + edge.logLikelihood, 0),
    parameterCount: edges.reduce((sum, edge) => sum + edge.pair.parameterCount, 0),
    threshold,
  };
  const gain = grown.reduce((sum, tree, t) => sum + gainOf(tree, t), 0);
  return { vine: { ...arrangeVine(grown, leavingOrder(columns.length, settings)), fit }, edges, gain };
}

/** Given columns leave last; a given order is kept. */
function leavingOrder(columns: number, { structure, givenFirst }: VineSettings): number[] {
  const given = new Set(givenFirst);
  const all =
    typeof structure === 'object' ? [...structure.order] : Array.from({ length: columns }, (_, k) => columns - 1 - k);
  return [...all.filter((column) => !given.has(column)), ...all.filter((column) => given.has(column))];
}

// mBICV (Nagler, Bumann and Czado 2019) expects fewer dependent pairs in later trees.

/** Negative if the tree is worthwhile. */
function treeGain(edges: readonly GrownEdge[], tree: number, rows: number, psi0: number): number {
  const dependence = psi0 ** (tree + 1);
  let sum = 0;
  for (const { pair, logLikelihood } of edges) {
    if (pair.family === 'independence') continue;
    sum += -2 * logLikelihood + Math.log(rows) * pair.parameterCount - 2 * Math.log(dependence / (1 - dependence));
  }
  return sum;
}

/**
 * Builds a vine array (Morales-Nápoles 2010) by removing columns, in `preferred` order if possible. Every regular vine
 * has two removable columns.
 */
function arrangeVine(
  trees: readonly (readonly GrownEdge[])[],
  preferred: readonly number[],
): { structure: VineStructure; pairs: PairCopula[][] } {
  const left = trees.map((edges) => new Set(edges));
  const counts = left.map((edges) => countColumns(edges, preferred.length));
  const waiting = [...preferred];
  const order: number[] = [];
  const rows: { other: number; pair: PairCopula }[][] = trees.map(() => []);
  while (waiting.length > 0) {
    const depth = Math.min(trees.length, waiting.length - 1);
    const at = waiting.findIndex((column) => counts.slice(0, depth).every((count) => count[column] === 1));
    if (at < 0) throw new RangeError('these trees are no regular vine: no column can be taken off them');
    const column = waiting.splice(at, 1)[0]!;
    order.push(column);
    for (let t = 0; t < depth; t++) {
      const edge = [...left[t]!].find(({ columns }) => columns.includes(column))!;
      left[t]!.delete(edge);
      for (const member of edge.columns) counts[t]![member]!--;
      const first = edge.a === column;
      rows[t]!.push({ other: first ? edge.b : edge.a, pair: first ? edge.pair : transposePair(edge.pair) });
    }
  }
  const position = new Map(order.map((column, at) => [column, at]));
  return {
    structure: { order, array: rows.map((row) => row.map(({ other }) => position.get(other)!)) },
    pairs: rows.map((row) => row.map(({ pair }) => pair)),
  };
}

function countColumns(edges: Iterable<GrownEdge>, columns: number): Int32Array {
  const counts = new Int32Array(columns);
  for (const edge of edges) for (const column of edge.columns) counts[column]!++;
  return counts;
}

function transposePair(pair: PairCopula): PairCopula {
  const { grid } = pair.save();
  if (grid === undefined) return pair;
  const { size, values, parameterCount } = grid;
  const turned = Float64Array.from(values, (_, at) => values[(at % size) * size + Math.floor(at / size)]!);
  return gridCopula(size, turned, parameterCount);
}
