/** Noisy counts of number ranges, refined where they hold many rows. */
import type { Curator } from '../../../numerics/privacy/curator.ts';
import { firstAbove } from '../../../numerics/search.ts';
import { MISSING } from '../../../tables/table.ts';
import type { CodedColumn } from './codes.ts';

export interface Span {
  from: number;
  to: number;
}

export interface Range extends Span {
  count: number;
  variance: number;
}

/** Smaller columns are counted singly. */
export const FEW_NUMBERS = 128;
/** Initial ranges, each twice as wide as the last. */
const FIRST_RANGES = 8;
/** Maximum parts, and expected standard errors in each. */
const MAX_PARTS = 32;
const PART_ERRORS = 1.5;
const MAX_DEPTH = 4;
/** Minimum share of rows and standard errors for a split. */
const LARGE_SHARE = 0.004;
const LARGE_ERRORS = 2;

/** Costs at most `rho`. */
export function countRanges({ codes, size }: CodedColumn, curator: Curator, rho: number) {
  const depth = depthOf(size);
  const costs = costsOf(rho, depth);
  const first = firstSpans(size);
  const { counts, variance } = curator.count(countIn(codes, first, { withGone: true }), costs[0]!);
  let ranges = first.map((span, at): Range => ({ ...span, count: counts[at]!, variance }));
  const missing = counts[first.length]!;
  const large = LARGE_SHARE * Math.max(1, sumOf(ranges.map(({ count }) => count)));
  let open = ranges;
  for (let level = 1; level < depth; level++) {
    const least = Math.max(large, LARGE_ERRORS * Math.sqrt(variance));
    open = open.filter(({ from, to, count }) => to - from > 1 && count > least);
    if (open.length === 0) break;
    const parts = open.map((range) => split(range, partsOf(range, costs[level]!)));
    const found = curator.count(countIn(codes, parts.flat(), { withGone: false }), costs[level]!);
    const finer = agree(open, parts, found.counts, found.variance);
    const opened = new Set(open);
    ranges = [...ranges.filter((range) => !opened.has(range)), ...finer];
    open = finer;
  }
  return { ranges: ranges.sort((a, b) => a.from - b.from), missing, variance };
}

function depthOf(size: number): number {
  if (size <= FEW_NUMBERS) return 1;
  return Math.min(MAX_DEPTH, 1 + Math.ceil(Math.log(size / 2) / Math.log(MAX_PARTS) - 1e-9));
}

/** The first count takes half, because later ones depend on it. */
const costsOf = (rho: number, depth: number): number[] =>
  Array.from({ length: depth }, (_, level) => rho / 2 ** Math.min(level + 1, depth - 1));

/** Ends are separate because they are often frequent. Tails get wide ranges, since each empty one adds noise. */
function firstSpans(size: number): Span[] {
  if (size <= FEW_NUMBERS) return split({ from: 0, to: size }, size);
  const inner = Array.from({ length: FIRST_RANGES - 1 }, (_, at) => Math.ceil(size / 2 ** (FIRST_RANGES - 1 - at)));
  const edges = [0, 1, ...inner.filter((edge) => edge > 1 && edge < size - 1), size - 1, size];
  return edges.slice(1).map((to, at) => ({ from: edges[at]!, to }));
}

function partsOf({ from, to, count }: Range, cost: number): number {
  const error = Math.sqrt(1 / (2 * cost));
  return Math.min(to - from, MAX_PARTS, Math.max(2, Math.floor(count / (PART_ERRORS * error))));
}

function split({ from, to }: Span, parts: number): Span[] {
  const at = (part: number): number => from + Math.floor(((to - from) * part) / parts);
  return Array.from({ length: parts }, (_, part) => ({ from: at(part), to: at(part + 1) }));
}

function countIn(codes: Int32Array, spans: readonly Span[], { withGone }: { withGone: boolean }): Int32Array {
  const out = new Int32Array(spans.length + (withGone ? 1 : 0));
  const starts = Float64Array.from(spans, ({ from }) => from);
  for (const code of codes) {
    if (code === MISSING) {
      if (withGone) out[spans.length]!++;
      continue;
    }
    const at = firstAbove(starts, code) - 1;
    if (at >= 0 && code < spans[at]!.to) out[at]!++;
  }
  return out;
}

/** Combines both counts by precision and shrinks differences between parts. */
function agree(
  ranges: readonly Range[],
  parts: readonly (readonly Span[])[],
  counts: readonly number[],
  variance: number,
): Range[] {
  let at = 0;
  return ranges.flatMap((range, i) => {
    const own = counts.slice(at, at + parts[i]!.length);
    at += own.length;
    const spread = own.length * variance;
    const both = (range.count * spread + sumOf(own) * range.variance) / (spread + range.variance);
    const mean = sumOf(own) / own.length;
    const differ = own.reduce((total, count) => total + (count - mean) ** 2, 0) / (own.length - 1);
    const kept = Math.max(0, 1 - variance / differ);
    const rest = 1 / (1 / spread + 1 / range.variance) / own.length;
    return parts[i]!.map((part, j) => ({
      ...part,
      count: both / own.length + kept * (own[j]! - mean),
      variance: rest + kept ** 2 * variance * (1 - 1 / own.length),
    }));
  });
}

export const sumOf = (some: readonly number[]): number => some.reduce((sum, value) => sum + value, 0);
