/** Cost of judging a table made elsewhere, without a model. */
import type { Estimate } from '../../contract/replies.ts';
import type { TableRequest } from '../../contract/requests.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { counted } from '../../words/wording.ts';
import { REFERENCE_MACHINE } from './machine.ts';
import { textSize } from './sizes.ts';
import { ALONE, costIn, type Place, type StageCost, spansOf, stagesOn, takenBy } from './takes.ts';

export interface ComparedRows {
  synthetic: number;
  holdout: number | null;
}

/** CPU seconds (docs/measurements/0081). */
const COST = {
  start: 0.4,
  cell: 4e-7,
  /** Per column, per compared row, and per row of all tables. */
  metrics: 0.5,
  column: 0.065,
  comparedCell: 4.2e-5,
  searchedCell: 9.2e-6,
  /** For texts, and per character. */
  text: 0.75,
  character: 8e-7,
  write: 0.4,
  writtenColumn: 0.05,
} as const;

/** Maximum rows for classifiers and trees. */
const COMPARED_ROWS = 5000;

/** Bytes per process, cell and character. */
const BYTES = { process: 280e6, cell: 260, character: 16 } as const;

interface ComparisonSize {
  /** Excludes texts. */
  columns: number;
  /** In all tables. */
  rows: number;
  /** Rows that classifiers compare. */
  compared: number;
  characters: number;
}

/** `request` has passed `checkRequest`. */
export function estimateComparison(
  profile: Profile,
  request: TableRequest,
  rows: ComparedRows,
  { prices = null, machine = REFERENCE_MACHINE }: Place = {},
): Estimate {
  const size = sizeOf(profile, request, rows);
  const stages = stagesOf(size);
  const whole = takenBy(stages, machine);
  return {
    ...spansOf(whole),
    memory_mb: memoryOf(size),
    cost: costIn(prices, whole.seconds, request.text_cols.length > 0),
    stages: stagesOn(stages, machine),
    cheaper: null,
  };
}

function sizeOf(profile: Profile, request: TableRequest, { synthetic, holdout }: ComparedRows): ComparisonSize {
  const { target_col, continuous_cols, categorical_cols } = request;
  const named = new Set([target_col, ...continuous_cols, ...categorical_cols]);
  const rows = profile.rows + synthetic + (holdout ?? 0);
  const real = holdout === null ? Math.ceil(profile.rows / 2) : profile.rows;
  return {
    columns: profile.columns.filter(({ name, kind }) => named.has(name) && kind !== 'identifier').length,
    rows,
    compared: Math.min(COMPARED_ROWS, synthetic) + Math.min(COMPARED_ROWS, real),
    characters: textSize(profile, request, rows)?.characters ?? 0,
  };
}

function stagesOf({ columns, rows, compared, characters }: ComparisonSize): StageCost[] {
  const texts = characters > 0 ? COST.text + COST.character * characters : 0;
  const cells = columns * (COST.column + COST.comparedCell * compared + COST.searchedCell * rows);
  const stages: [stage: StageCost['stage'], cpu: number, why: string][] = [
    ['start', COST.start + COST.cell * rows * columns, `${counted(rows, 'row')} of ${counted(columns, 'column')}`],
    ['metrics', COST.metrics + cells + texts, `${counted(compared, 'row')} compared${texts > 0 ? ', and texts' : ''}`],
    ['write', COST.write + COST.writtenColumn * columns, 'the report'],
  ];
  return stages.map(([stage, cpu, why]) => ({ ...ALONE, stage, cpu, why }));
}

/** In MB. */
const memoryOf = ({ columns, rows, characters }: ComparisonSize): number =>
  Math.ceil((BYTES.process + BYTES.cell * columns * rows + BYTES.character * characters) / 1e6);
