/** A row of boxes for levels: the most frequent ones, and one for all others. */
import type { Axis } from '../../domain/schema/report.ts';
import type { CategoryColumn } from '../models/model.ts';
import { LEAST_LEVEL_ROWS } from './smallCells.ts';

export interface LevelAxis extends Axis {
  /** The box of a level; -1 for a missing cell (null). */
  binOf(level: string | null): number;
}

const LONGEST_LABEL = 40;

/** `most` levels at most. A level that no synthetic row has is named only where many real rows have it. */
export function levelAxis(real: CategoryColumn, synthetic: CategoryColumn, most: number): LevelAxis {
  const [realCounts, madeCounts] = [countLevels(real), countLevels(synthetic)];
  const weight = (level: string): number =>
    (realCounts.get(level) ?? 0) / Math.max(1, real.codes.length) +
    (madeCounts.get(level) ?? 0) / Math.max(1, synthetic.codes.length);
  const known = [...new Set([...realCounts.keys(), ...madeCounts.keys()])];
  const named = known
    .filter((level) => (madeCounts.get(level) ?? 0) > 0 || (realCounts.get(level) ?? 0) >= LEAST_LEVEL_ROWS)
    .sort((a, b) => weight(b) - weight(a) || (a < b ? -1 : 1));
  const hasOthers = named.length < known.length || named.length > most;
  const shown = named.slice(0, hasOthers ? most - 1 : most);
  const places = new Map(shown.map((level, at) => [level, at]));
  const texts = [...shown.map(labelOf), ...(hasOthers ? ['all other levels'] : [])];
  return {
    column: real.name,
    kind: 'levels',
    bins: texts.length,
    ticks: texts.map((text, at) => ({ at: at + 0.5, text })),
    binOf: (level) => (level === null ? -1 : (places.get(level) ?? shown.length)),
  };
}

function labelOf(level: string): string {
  const text = level.replace(/\s+/g, ' ').trim();
  if (text === '') return '(blank)';
  return text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL - 1)}…` : text;
}

function countLevels({ codes, levels }: CategoryColumn): Map<string, number> {
  const counts = new Map<string, number>();
  for (const code of codes) {
    const level = levels[code];
    if (level !== undefined) counts.set(level, (counts.get(level) ?? 0) + 1);
  }
  return counts;
}
