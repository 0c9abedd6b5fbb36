/** Texts that another column's texts decide: a place and its region, a level and its number. */
import type { SampledColumn } from './sampledColumn.ts';

/** Rows that would have to disagree if the columns had nothing to do with each other, at least. */
const LEAST_EVIDENCE = 20;
const MOST_LEVELS = 1000;
/** A share of distinct texts above which nearly everything decides everything. */
const MOST_DISTINCT_SHARE = 0.2;

/** True where each text of `of` (and its missing cells) stands beside one text of `column` only, and chance cannot explain it. */
export function areLabels(of: SampledColumn, column: SampledColumn): boolean {
  const rows = of.codes.length;
  const kinds = of.levels.length + (of.missing > 0 ? 1 : 0);
  if (kinds < 2 || kinds > MOST_LEVELS || kinds > MOST_DISTINCT_SHARE * rows || column.levels.length < 2) return false;
  return decides(of.codes, column.codes, of.levels.length) && (rows - kinds) * differing(column) >= LEAST_EVIDENCE;
}

/** The chance that two cells differ. */
function differing({ codes, counts, missing }: SampledColumn): number {
  const shares = [...counts, missing].map((count) => count / codes.length);
  return 1 - shares.reduce((sum, share) => sum + share * share, 0);
}

function decides(from: Int32Array, to: Int32Array, levels: number): boolean {
  const UNKNOWN = -2;
  const beside = new Int32Array(levels + 1).fill(UNKNOWN);
  for (let row = 0; row < from.length; row++) {
    const place = from[row]! + 1;
    if (beside[place] === UNKNOWN) beside[place] = to[row]!;
    else if (beside[place] !== to[row]) return false;
  }
  return true;
}
