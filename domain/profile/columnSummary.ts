/** What all cells of a column say. */
import type { ColumnProfile } from './profile.ts';

/** A text, where it stands first (rows count from 1 below the header) and how often. */
export interface Sighting {
  text: string;
  row: number;
  count: number;
}

/** Parts of a column's profile, and what detection wants to know besides. */
export interface ColumnSummary
  extends Pick<
    ColumnProfile,
    | 'name'
    | 'missing'
    | 'missing_token'
    | 'missing_tokens'
    | 'distinct'
    | 'distinct_exact'
    | 'top_levels'
    | 'dress'
    | 'numbers'
    | 'lengths'
  > {
  rows: number;
  /** Numbers with a zero before another digit: "007". */
  leadingZeros: number;
  /** The numbers are n, n + 1, n + 2 … in the file's order. */
  isRunning: boolean;
  /** The first texts that are neither missing nor numbers; at most five. */
  strays: Sighting[];
  /** The first cell that is not missing. */
  first: Sighting | null;
  /** The first cell that is missing. */
  firstMissing: Sighting | null;
  /** Texts that mean a missing cell in this column only, and were counted as such. */
  sentinels: Sighting[];
}
