/**
 * Tests whether a classifier separates synthetic rows from unseen and from training rows. An honest table is as far
 * from both as an independent sample.
 */
import type { MeasuredFigure, Verdict } from '../../../contract/measuredFigure.ts';
import type { FidelityMetrics } from '../../../contract/metrics.ts';
import type { ModelTable } from '../../models/model.ts';
import { type Auc, widened } from '../intervals.ts';
import type { Measure, MeasureTask } from '../measure.ts';
import { toMeasured } from '../measured.ts';
import type { Part } from '../parts.ts';
import { type Apart, aucOf, MAX_SAMPLES, tellApart } from './tellApart.ts';

const NAMED = 10;

const IDEAL = 0.5;

/** AUC that the interval must exclude to show likeness. */
const NOT_EXCLUDED = 0.6;

/**
 * AUC against training rows that only copies undercut, since they mislead the trees. Tables with exact margins but no
 * copies reach 0.40.
 */
const COPIES = 0.4;

const TOO_FEW = 'it needs ten real and ten synthetic rows, and a numeric or categorical column';
const NO_UNSEEN =
  'no real rows are known to be unseen by whoever made the table; discriminator_training compares it with rows that it may have been made from';

type Discriminators = Pick<FidelityMetrics, 'discriminator' | 'discriminator_training' | 'feature_importance'>;

export const discriminator: Measure<Discriminators> = async (task) => {
  const isUnseen = task.measured.measuredOn.method !== 'halves' && task.measured.parts.every(({ holdout }) => holdout);
  const seen = await against(task, 'train', isUnseen ? [] : ['holdout', 'independent', 'swapped']);
  if (!isUnseen) {
    const training = figureOf(seen, { verdict: judgeSeen(seen.auc, { isOnly: true }), reason: TOO_FEW });
    await task.onProgress({ stage: 'measure', fact: 'discriminator_tested', rows: training.rows });
    return {
      discriminator: toMeasured({ value: undefined, rows: 0, ideal: IDEAL, reason: NO_UNSEEN }),
      discriminator_training: training,
      feature_importance: importanceOf(seen.found),
    };
  }
  const unseen = await against(task, 'holdout', ['train', 'independent', 'swapped']);
  const figure = figureOf(unseen, { verdict: judgeUnseen(unseen.auc), reason: TOO_FEW });
  const between = unseen.beside.train;
  const training = figureOf(
    { ...seen, beside: { holdout: between } },
    { verdict: judgeSeen(seen.auc, { isOnly: false }), reason: TOO_FEW },
  );
  await task.onProgress({ stage: 'measure', fact: 'discriminator_tested', rows: figure.rows });
  return { discriminator: figure, discriminator_training: training, feature_importance: importanceOf(unseen.found) };
};

type Side = keyof Part;

interface Against {
  found: readonly Apart[];
  auc: Auc | undefined;
  beside: Partial<Record<Side, number | undefined>>;
}

/** Only the judged figure uses several samples, which would add half to the time. */
async function against(
  { measured, random, yieldToEventLoop }: MeasureTask,
  side: 'train' | 'holdout',
  besides: readonly Side[],
): Promise<Against> {
  const { parts, columns } = measured;
  const stream = random.child('discriminator').child(side);
  const compare = async (other: Side): Promise<Apart[]> => {
    const found: Apart[] = [];
    for (const [at, part] of parts.entries()) {
      const [real, own]: (ModelTable | null)[] = [part[side], part[other]];
      const isFigure = other === 'synthetic' && (side === 'holdout' || besides.length > 0);
      const samples = isFigure ? MAX_SAMPLES : 1;
      const task = { columns, samples, explain: isFigure, random: stream.child(`${other} ${at}`), yieldToEventLoop };
      const apart = real && own ? await tellApart({ ...task, real, other: own }) : undefined;
      if (apart) found.push(apart);
    }
    return found;
  };
  const found = await compare('synthetic');
  const beside: Against['beside'] = {};
  for (const other of besides) beside[other] = aucOf(await compare(other))?.value;
  return { found, auc: aucOf(found), beside };
}

function figureOf(
  { found, auc, beside }: Against,
  { verdict, reason }: { verdict: Verdict | null; reason: string },
): MeasuredFigure {
  return toMeasured({
    value: auc?.value,
    interval: auc?.interval,
    rows: found.reduce((sum, { rows }) => sum + rows, 0),
    reason,
    ideal: IDEAL,
    holdout: beside.train ?? beside.holdout,
    independent: beside.independent,
    swapped: beside.swapped,
    verdict,
  });
}

/** Only tables made from unseen rows are significantly nearer. Null if too few rows exclude a notable AUC. */
function judgeUnseen(auc: Auc | undefined): Verdict | null {
  if (!auc) return null;
  const [low, high] = widened(auc.value, auc.interval);
  if (low > IDEAL) return 'worse';
  if (high < IDEAL) return 'suspiciously better';
  return auc.interval[1] > NOT_EXCLUDED ? null : 'as good';
}

/** Models follow training rows, so 'worse' counts only without other rows. */
function judgeSeen(auc: Auc | undefined, { isOnly }: { isOnly: boolean }): Verdict | null {
  if (!auc) return null;
  const [low, high] = widened(auc.value, auc.interval);
  if (high < COPIES) return 'suspiciously better';
  if (isOnly && low > IDEAL) return 'worse';
  return isOnly && auc.interval[1] > NOT_EXCLUDED ? null : 'as good';
}

function importanceOf(found: readonly Apart[]): FidelityMetrics['feature_importance'] {
  const losses = new Map<string, number>();
  for (const part of found) {
    for (const [column, loss] of part.losses) losses.set(column, (losses.get(column) ?? 0) + loss / found.length);
  }
  const informative = [...losses].map(([column, loss]) => ({ column, loss })).filter(({ loss }) => loss > 0.001);
  return informative.sort((a, b) => b.loss - a.loss).slice(0, NAMED);
}
