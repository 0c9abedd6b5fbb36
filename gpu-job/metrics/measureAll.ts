/** All metrics of a synthetic table: the contract's figures, and those of fidelity, utility, privacy and text beside them. */
import type { JobMetrics } from '../../domain/schema/metrics.ts';
import { type FidelityData, measureFidelity } from './fidelity/measureFidelity.ts';
import { type Fold, MIN_CROSS_FIT_ROWS, makeFolds } from './makeFolds.ts';
import { type Measures, type MeasureTask, measureTable } from './measureTable.ts';
import { TSTR_ROWS } from './measureUtility.ts';
import { makeParts } from './parts.ts';
import { measurePrivacy } from './privacy/measurePrivacy.ts';
import { measureText } from './text/measureText.ts';
import { measureUsefulness } from './utility/measureUsefulness.ts';

/** What is too long for a job's record, and is written beside its result. */
export interface MeasureData {
  fidelity: FidelityData;
}

export interface AllMeasures
  extends Measures,
    Pick<JobMetrics, 'measured_on' | 'fidelity' | 'utility' | 'privacy' | 'text'> {
  data: MeasureData;
}

/** Rejects where a table lacks a column of the roles, or has it as another kind. */
export async function measureAll(task: MeasureTask): Promise<AllMeasures> {
  const { train, holdout, synthetic, roles, random, report } = task;
  const folds = await foldsOf(task);
  const measures = await measureTable({ ...task, folds });
  const parts = makeParts({ train, holdout, synthetic, folds, roles, random: random.child('parts') });
  const { metrics: fidelity, data } = await measureFidelity(parts, random.child('fidelity'), report);
  const utility = await measureUsefulness(parts, random.child('utility'), report);
  const privacy = await measurePrivacy(parts, random.child('privacy'), report);
  const text = await measureText(parts, random.child('text'), report);
  const notes = [parts.measuredOn.summary, ...measures.notes];
  if (parts.leftOut > 0) {
    notes.push(
      `Fidelity, utility and privacy look at ${parts.columns.numeric.length + parts.columns.categorical.length} columns; ${parts.leftOut} more, drawn at random, are left out.`,
    );
  }
  return {
    ...measures,
    notes,
    measured_on: parts.measuredOn,
    fidelity,
    utility,
    privacy,
    text,
    data: { fidelity: data },
  };
}

/** The parts of cross-fitting; undefined where there is a holdout, or there are too few rows. */
async function foldsOf({ train, holdout, synthetic, crossFit, roles, random, report }: MeasureTask) {
  const width = roles.continuous.length + roles.categorical.length + (roles.target === null ? 0 : 1);
  if (holdout || !crossFit || train.rows < MIN_CROSS_FIT_ROWS || width === 0) return undefined;
  const rows = Math.min(TSTR_ROWS, synthetic.rows);
  const folds: Fold[] = await makeFolds(train, rows, crossFit, random.child('TSTR'), report);
  return folds;
}
