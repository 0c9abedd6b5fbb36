/** The discriminator of all parts: the synthetic rows and the yardsticks against the training rows. */

import type { FidelityMetrics } from '../../../domain/schema/fidelityMetrics.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { ModelTable } from '../../models/model.ts';
import { widened } from '../intervals.ts';
import { toMeasured } from '../measured.ts';
import type { Part, Parts } from '../parts.ts';
import { type Auc, rocAuc } from '../rocAuc.ts';
import { type Told, tellApart } from './discriminator.ts';

/** Columns that give a table away and are named, at most. */
const NAMED = 10;

/** What indistinguishable rows score. */
const IDEAL = 0.5;

export function discriminatorFigure(
  { parts, columns }: Parts,
  random: RandomStream,
): Pick<FidelityMetrics, 'discriminator' | 'give_away'> {
  const told = (of: keyof Part, explain: boolean): Told[] =>
    parts.flatMap((part, at) => {
      const other: ModelTable | null = part[of];
      const found =
        other && tellApart({ real: part.train, other, columns, explain, random: random.child(`${of} ${at}`) });
      return found ? [found] : [];
    });
  const own = told('synthetic', true);
  const auc = aucOf(own);
  const discriminator = toMeasured({
    value: auc?.value,
    interval: auc?.interval,
    rows: own.reduce((sum, { rows }) => sum + rows, 0),
    reason: 'it takes six real and six synthetic rows, and a numeric or category column',
    ideal: IDEAL,
    holdout: aucOf(told('holdout', false))?.value,
    independent: aucOf(told('independent', false))?.value,
    swapped: aucOf(told('swapped', false))?.value,
    verdict: auc ? judge(auc) : null,
  });
  return { discriminator, give_away: givingAway(own) };
}

function judge({ value, interval }: Auc) {
  const [low, high] = widened(value, interval);
  if (low > IDEAL) return 'worse';
  return high < IDEAL ? 'suspiciously better' : 'as good';
}

function aucOf(told: readonly Told[]): Auc | undefined {
  const join = (side: 'real' | 'other') => Float64Array.from(told.flatMap((part) => [...part[side]]));
  return rocAuc(join('other'), join('real'));
}

/** Mean losses over parts, the largest first; columns that tell nothing are left out. */
function givingAway(told: readonly Told[]): FidelityMetrics['give_away'] {
  const losses = new Map<string, number>();
  for (const part of told) {
    for (const [column, loss] of part.losses) losses.set(column, (losses.get(column) ?? 0) + loss / told.length);
  }
  const telling = [...losses].map(([column, loss]) => ({ column, loss })).filter(({ loss }) => loss > 0.001);
  return telling.sort((a, b) => b.loss - a.loss).slice(0, NAMED);
}
