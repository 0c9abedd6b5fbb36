/** Whom a synthetic table gives away: every figure is judged by real rows that no model saw. */
import type { PrivacyMetrics } from '../../../domain/schema/privacyMetrics.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Report } from '../../models/model.ts';
import type { Parts } from '../parts.ts';
import { attributeFigures } from './attributeInference.ts';
import { copiesFigures } from './copies.ts';
import { distanceShareFigures } from './distanceShare.ts';
import { membershipFigure } from './membershipInference.ts';
import { nearnessFigures } from './nearness.ts';
import { privateParts } from './privateParts.ts';
import { singlingOutFigure } from './singlingOut.ts';
import { memorisationFigure } from './textMemorisation.ts';

export async function measurePrivacy(measured: Parts, random: RandomStream, report: Report): Promise<PrivacyMetrics> {
  const { columns, target } = measured;
  const copies = copiesFigures(measured);
  const parts = privateParts(measured, random.child('rows'));
  const nearness = nearnessFigures(parts, columns);
  await report(`Metrics: ${nearness.neighbour_ratio.rows} synthetic rows looked for among the training rows`);
  const shares = distanceShareFigures(parts, columns, random.child('groups'));
  await report(`Metrics: ${shares.dcr_share.rows} synthetic rows between training rows and held-out ones`);
  const membership = membershipFigure(parts, columns);
  await report(`Metrics: membership of ${membership.rows} real rows guessed`);
  const attributes = attributeFigures(parts, columns, target, random.child('attributes'));
  const singled = singlingOutFigure(parts, columns, random.child('singling out'));
  await report(`Metrics: ${singled.rows} guesses at single persons`);
  return {
    ...copies,
    ...nearness,
    ...shares,
    membership_inference: membership,
    attribute_inference: attributes,
    singling_out: singled,
    ...memorisationFigure(measured.released, columns.text, random.child('texts')),
  };
}
