/** What the questions about a column are answered from, and what an answer looks like. */

import type { ColumnSummary, Sighting } from '../profile/columnSummary.ts';
import type { ColumnKind } from '../profile/profile.ts';
import { quoted, withCommas } from '../table/wording.ts';
import { isNumeric } from './isNumeric.ts';

export interface ColumnFacts extends ColumnSummary {
  /** Cells that are not missing. */
  present: number;
  /** Distinct texts among them, as a share. */
  distinctShare: number;
  /** No two of them are alike; where distinct texts are estimated, as far as can be told. */
  isUnique: boolean;
  /** Nearly all cells are numbers, in whatever dress, and no times. */
  isNumber: boolean;
  /** Nearly all cells are dates or times of one pattern. */
  isTime: boolean;
  /** Cells of the row sample that are not missing. */
  sample: readonly string[];
}

export interface Verdict {
  kind: ColumnKind;
  /** 0 to 1: how seldom columns that look like this are something else. */
  confidence: number;
  /** In words; without what every column's evidence says anyway. */
  evidence: string[];
}

/** One question about a column. Undefined where the answer is no; the next question is asked then. */
export type Question = (facts: ColumnFacts) => Verdict | undefined;

/** Well within the error of the estimate. */
const ESTIMATED_UNIQUE = 0.98;
const TIME_SHARE = 0.95;

export function factsOf(summary: ColumnSummary, sample: readonly (string | null)[]): ColumnFacts {
  const present = summary.rows - summary.missing;
  const { dress, numbers } = summary;
  const wearsTime = dress?.kind === 'time';
  const isTime = wearsTime && present > 0 && (numbers?.count ?? 0) >= TIME_SHARE * present;
  return {
    ...summary,
    // A pattern that too few cells have is none.
    ...(wearsTime && !isTime ? { dress: null, numbers: null } : {}),
    isTime,
    isNumber: !wearsTime && isNumeric(numbers, present),
    present,
    distinctShare: present > 0 ? Math.min(1, summary.distinct / present) : 0,
    isUnique: summary.distinct_exact ? summary.distinct === present : summary.distinct > ESTIMATED_UNIQUE * present,
    sample: sample.filter((cell) => cell !== null),
  };
}

/** A text with the row where it stands first: `"?" (row 12)`. */
export const shown = ({ text, row }: Sighting): string =>
  row > 0 ? `${quoted(text)} (row ${withCommas(row)})` : quoted(text);

/** `, such as "x" (row 1)`: the first cell that is not missing. */
export const example = ({ first }: ColumnFacts): string => (first ? `, such as ${shown(first)}` : '');

/** The share of the sampled cells of which `holds` is true; 0 where there are none. */
export function shareOf(facts: ColumnFacts, holds: (cell: string) => boolean): number {
  const count = facts.sample.filter(holds).length;
  return facts.sample.length > 0 ? count / facts.sample.length : 0;
}
