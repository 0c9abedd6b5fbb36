/** Cells that are missing exactly where another column says so. */
import type { SampledColumn } from './sampledColumn.ts';

/** Missing cells, and cells that are there, below which a rule is chance. */
const LEAST_CELLS = 5;
const MOST_VALUES = 3;

/** True where enough cells are missing, and enough are there, to look for a rule. */
export const hasGaps = ({ missing, codes }: SampledColumn): boolean =>
  missing >= LEAST_CELLS && codes.length - missing >= LEAST_CELLS;

/** Missing in the same rows. */
export const areMissingTogether = (a: SampledColumn, b: SampledColumn): boolean =>
  a.missing === b.missing && a.codes.every((code, row) => code < 0 === b.codes[row]! < 0);

/** The few texts of `of` beside which `column` is missing, or beside which alone it is there. Undefined where there is no such rule. */
export function missingWhen(
  of: SampledColumn,
  column: SampledColumn,
): { values: string[]; except: boolean } | undefined {
  if (of.missing > 0 || of.levels.length < 2) return undefined;
  const isGap = new Int8Array(of.levels.length).fill(-1);
  for (let row = 0; row < of.codes.length; row++) {
    const gap = column.codes[row]! < 0 ? 1 : 0;
    const code = of.codes[row]!;
    if (isGap[code] === -1) isGap[code] = gap;
    else if (isGap[code] !== gap) return undefined;
  }
  const gaps = of.levels.filter((_, code) => isGap[code] === 1);
  const others = of.levels.filter((_, code) => isGap[code] === 0);
  const [values, except] = gaps.length <= others.length ? [gaps, false] : [others, true];
  const isOften = (level: string): boolean => of.counts[of.levels.indexOf(level)]! >= LEAST_CELLS;
  return values.length <= MOST_VALUES && values.every(isOften) ? { values, except } : undefined;
}
