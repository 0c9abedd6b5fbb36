/** A row as prefix tokens: the level, bin or missingness of each informative column. */
import { normalQuantile } from '../../../numerics/special/normal.ts';
import type { ModelColumn, ModelTable } from '../model.ts';

export type PrefixColumn =
  | { name: string; kind: 'levels'; levels: readonly string[] }
  /** Bin k is (edges[k - 1], edges[k]]. */
  | { name: string; kind: 'bins'; edges: readonly number[] };

const MISSING = 0;
const OTHER = 1;
const OWN = 2;

const MIN_ROWS = 5;
const MAX_LEVELS = 300;
const BINS = 16;

export const tokensOf = (column: PrefixColumn): number =>
  OWN + (column.kind === 'levels' ? column.levels.length : column.edges.length + 1);

export function fitPrefixColumn(column: ModelColumn): PrefixColumn | null {
  if (column.kind === 'text') return null;
  if (column.kind === 'category') {
    const counts = new Map<string, number>();
    for (const code of column.codes) {
      const level = column.levels[code];
      if (level !== undefined) counts.set(level, (counts.get(level) ?? 0) + 1);
    }
    const frequent = [...counts].filter(([, count]) => count >= MIN_ROWS).sort(([, a], [, b]) => b - a);
    const levels = frequent.slice(0, MAX_LEVELS).map(([level]) => level);
    return levels.length === 0 ? null : { name: column.name, kind: 'levels', levels };
  }
  const known = column.values.filter((value) => !Number.isNaN(value)).sort();
  const edges = Array.from({ length: BINS - 1 }, (_, k) => known[Math.floor(((k + 1) * known.length) / BINS)] ?? 0);
  const distinct = [...new Set(edges)].filter((edge) => edge < (known.at(-1) ?? edge));
  return distinct.length === 0 ? null : { name: column.name, kind: 'bins', edges: distinct };
}

/** Reads tokens from 0. The table may lack the column. */
export function prefixTokenReader(condition: PrefixColumn, table: ModelTable): (row: number) => number {
  const column = table.columns.get(condition.name);
  if (!column || column.kind === 'text') return () => MISSING;
  if (condition.kind === 'bins') {
    if (column.kind !== 'numeric') return () => MISSING;
    const { edges } = condition;
    return (row) => {
      const value = column.values[row]!;
      if (Number.isNaN(value)) return MISSING;
      const first = edges.findIndex((edge) => value <= edge);
      return OWN + (first < 0 ? edges.length : first);
    };
  }
  if (column.kind !== 'category') return () => MISSING;
  const tokenOf = new Map(condition.levels.map((level, k) => [level, OWN + k]));
  const tokens = column.levels.map((level) => tokenOf.get(level) ?? OTHER);
  return (row) => tokens[column.codes[row]!] ?? MISSING;
}

export function tokenScores(condition: PrefixColumn, ofLevels?: ReadonlyMap<string, number>): number[] {
  const none = new Array<number>(OWN).fill(0);
  if (condition.kind === 'levels') return [...none, ...condition.levels.map((level) => ofLevels?.get(level) ?? 0)];
  const bins = condition.edges.length + 1;
  return [...none, ...Array.from({ length: bins }, (_, k) => normalQuantile((k + 0.5) / bins))];
}

export function prefixWords(condition: PrefixColumn): string[] {
  const { name } = condition;
  const own =
    condition.kind === 'levels'
      ? condition.levels
      : [...condition.edges.map((edge) => `up to ${edge}`), `above ${condition.edges.at(-1)}`];
  return ['unknown', 'other', ...own].map((words) => ` ${name}: ${words}`);
}

const WORDS = 400;
const COUNTED_ROWS = 5_000;

/**
 * Sums mutual information of a column and frequent words, in nats, less its bias (Miller and Madow). `tokens` and
 * `texts` are by row.
 */
export function informationAbout(tokens: readonly number[], texts: readonly string[]): number {
  const rows = Math.min(texts.length, COUNTED_ROWS);
  const words = texts.slice(0, rows).map((text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []));
  const frequency = new Map<string, number>();
  for (const own of words) for (const word of own) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const chosen = [...frequency].filter(([, count]) => count >= MIN_ROWS && count < rows).sort(([, a], [, b]) => b - a);
  const places = new Map(chosen.slice(0, WORDS).map(([word], k) => [word, k]));
  const kinds = Math.max(...tokens.slice(0, rows)) + 1;
  const inKind = new Float64Array(kinds);
  const joint = new Float64Array(kinds * places.size);
  words.forEach((own, row) => {
    const kind = tokens[row]!;
    inKind[kind]! += 1;
    for (const word of own) {
      const place = places.get(word);
      if (place !== undefined) joint[place * kinds + kind]! += 1;
    }
  });
  const seenKinds = inKind.reduce((count, n) => count + (n > 0 ? 1 : 0), 0);
  let total = 0;
  for (const [word, place] of places) {
    const share = frequency.get(word)! / rows;
    let information = 0;
    for (let kind = 0; kind < kinds; kind++) {
      const n = inKind[kind]!;
      const withWord = joint[place * kinds + kind]!;
      if (withWord > 0) information += withWord * Math.log(withWord / n / share);
      if (n > withWord) information += (n - withWord) * Math.log((n - withWord) / n / (1 - share));
    }
    total += (information - (seenKinds - 1) / 2) / rows;
  }
  return total;
}
