/** What it would take to judge a table that was made elsewhere: reading, measuring and reporting, without a model. */
import type { Estimate } from '../../contract/replies.ts';
import type { TableRequest } from '../../contract/requests.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { counted } from '../../words/wording.ts';
import { REFERENCE_MACHINE } from './machine.ts';
import { type JobSize, sizeOf } from './sizes.ts';
import { ALONE, costIn, type Place, type StageCost, spansOf, stagesOn, takenBy } from './takes.ts';

/** Rows of the tables that stand beside the real one. */
export interface ComparedRows {
  synthetic: number;
  /** Null where no real rows were held out. */
  holdout: number | null;
}

/** CPU seconds, measured on the shared tables (docs/measurements has the table). */
const COST = {
  /** A process, its code, the report. */
  start: 0.8,
  write: 1,
  /** A cell that is read. */
  cell: 4e-7,
  metrics: 0.5,
  comparedCell: 3.3e-5,
  searchedCell: 1.8e-5,
  /** Bytes of memory a cell. */
  bytes: 80,
} as const;

/** Rows that most figures look at, at most. */
const COMPARED_ROWS = 5000;

/** `request` is of the real table's columns and has passed `checkRequest`. */
export function estimateComparison(
  profile: Profile,
  request: TableRequest,
  rows: ComparedRows,
  { prices = null, machine = REFERENCE_MACHINE }: Place = {},
): Estimate {
  const size = sizeOf(profile, request);
  const stages = stagesOf(size, rows);
  const whole = takenBy(stages, machine);
  return {
    ...spansOf(whole),
    memory_mb: memoryOf(size, rows),
    cost: costIn(prices, whole.seconds, request.text_cols.length > 0),
    stages: stagesOn(stages, machine),
    cheaper: null,
  };
}

function stagesOf(size: JobSize, { synthetic, holdout }: ComparedRows): StageCost[] {
  const columns = size.categories + size.numbers + (size.target ? 1 : 0) + (size.text ? 1 : 0);
  const read = size.rows + synthetic + (holdout ?? 0);
  const compared = Math.min(COMPARED_ROWS, synthetic) + Math.min(COMPARED_ROWS, size.rows);
  const metrics = COST.metrics + columns * (COST.comparedCell * compared + COST.searchedCell * size.rows);
  const stages: [StageCost['stage'], number, string][] = [
    ['start', COST.start + COST.cell * read * columns, `${counted(read, 'row')} and ${counted(columns, 'column')}`],
    ['metrics', metrics, `${counted(compared, 'row')} compared`],
    ['write', COST.write, 'the report'],
  ];
  return stages.map(([stage, cpu, why]) => ({ ...ALONE, stage, cpu, why }));
}

/** MB: a process and its code, cells as text and as numbers. */
function memoryOf(size: JobSize, { synthetic, holdout }: ComparedRows): number {
  const rows = size.rows + synthetic + (holdout ?? 0);
  const cells = rows * (size.categories + size.numbers + (size.target ? 1 : 0));
  return Math.ceil((250e6 + COST.bytes * cells + 8 * (size.text?.characters ?? 0)) / 1e6);
}
