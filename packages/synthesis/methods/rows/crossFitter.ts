import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { CrossFit } from '../../judge/parts.ts';
import { forFigures, type Plan } from '../../plan/plan.ts';
import { type Progress, quiet } from '../../progress.ts';
import { fitModels } from './fitRows.ts';
import { generateTable } from './generateRows.ts';

/** Draws from models of part of the rows, without text and conditions. */
export function crossFitter(plan: Plan, random: RandomStream, progress: Progress): CrossFit {
  const part = forFigures(plan);
  return async (trainRows, rows, fold) => {
    const stream = random.child(`fold ${fold}`);
    const models = await fitModels({
      plan: part,
      table: trainRows,
      random: stream.child('fit'),
      progress: quiet(progress),
    });
    return generateTable({
      plan: part,
      models,
      rows,
      random: stream.child('generate'),
      progress: quiet(progress),
    });
  };
}
