/** What can be learnt from a synthetic table: every figure beside the same learnt from real rows. */
import type { UtilityMetrics } from '../../../domain/schema/utilityMetrics.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Report } from '../../models/model.ts';
import type { Parts } from '../parts.ts';
import { categoryFigures } from './categoryUtility.ts';
import { coefficientsFigure } from './coefficientsFigure.ts';
import { targetFigure } from './targetUtility.ts';

export async function measureUsefulness(
  measured: Parts,
  random: RandomStream,
  report: Report,
): Promise<UtilityMetrics> {
  const target = targetFigure(measured, random.child('target'));
  await report(`Metrics: ${target.rows} targets predicted from rows of each kind`);
  const categories = await categoryFigures(measured, random.child('categories'), report);
  const coefficients = coefficientsFigure(measured, random.child('coefficients'));
  return { target, coefficients, ...categories };
}
