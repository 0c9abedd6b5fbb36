/** CPU seconds of a target's regression. */
import { DESIGN_ROWS } from '../../numerics/regression/fixPools.ts';
import { PACKED_FROM } from '../../numerics/regression/prepareRegression.ts';
import { SHORT_WARM_UP } from '../../numerics/regression/runChains.ts';
import { ALL_ROWS, SOME_ROWS } from '../../numerics/regression/samplePosterior.ts';
import { CHAINS } from '../../numerics/regression/samplingTask.ts';
import { counted, withCommas } from '../../words/wording.ts';
import { hasAtom, isBySums, type JobSize, type TargetSize } from './sizes.ts';

/** CPU seconds, measured on the shared tables. */
const COST = {
  /** Per regression, column and design entry. */
  regression: 0.4,
  column: 3e-3,
  designEntry: 1.2e-6,
  /** Per multiply-add of a gradient. */
  flop: 1 / 5e9,
  packedFlop: 1 / 2e10,
  /** Per generated row and design column. */
  madeEntry: 1e-8,
} as const;
/** CPU seconds per row of a gradient, by family. */
const ROW = { plain: 7e-8, slow: 1.1e-7, scattered: 2.5e-7 } as const;
const PACKED_ROW = { plain: 1.5e-8, slow: 1.8e-7, scattered: 1e-7 } as const;
/** Gradients per step of a chain; fewer if the posterior is near normal. */
const GRADIENTS = 3.5;
const WIDE_GRADIENTS = 2.5;
const WIDE_ROWS = 50;
/** Importance sampling: gradients of a mode and 400 proposals, plus 3 s. */
const WEIGHTED_GRADIENTS = 550;
const WEIGHTED = 3;
/** Factor for the design search if rows are neither summed nor packed. */
const LONG_SEARCH = 2.4;

export interface TargetCost {
  cpu: number;
  /** CPU seconds that threads share. */
  shared: number;
  threads: number;
  why: string;
}

export function targetCost(target: TargetSize, { draws, tune, sampler, made }: JobSize): TargetCost {
  const flops = rowFlops(target);
  const isPacked = flops > PACKED_FROM;
  const steps = draws + Math.min(tune, SHORT_WARM_UP);
  const isOfSome = sampler !== 'nuts' && flops > ALL_ROWS;
  const [bySums, byRows] = [sumsSeconds(target), rowsSeconds(target, isPacked)];
  const isWeighted = sampler === 'approximate';
  const isNearNormal = target.rows > WIDE_ROWS * target.columns && !hasAtom(target.family);
  const gradients = isNearNormal ? WIDE_GRADIENTS : GRADIENTS;
  const chains = CHAINS * gradients * steps * (bySums + byRows * (isOfSome ? SOME_ROWS / flops : 1));
  const { regressions } = target;
  const sampling = regressions * (isWeighted ? WEIGHTED_GRADIENTS * (bySums + byRows) + WEIGHTED : chains);
  const effort = isPacked || isBySums(target.family) ? 1 : LONG_SEARCH;
  const planning = COST.designEntry * effort * Math.min(target.entries, DESIGN_ROWS * target.columns);
  const cpu =
    regressions * (COST.regression + COST.column * target.columns + planning + COST.madeEntry * made * target.columns) +
    sampling;
  const how = isWeighted
    ? 'drawn by importance sampling, if that passes its check'
    : `${CHAINS} chains of ${withCommas(steps)} steps${isOfSome ? ' on some of the rows' : ''}`;
  const of = `of about ${counted(target.columns, 'column')} on ${regressions > 1 ? 'up to ' : ''}${counted(target.rows, 'row')}`;
  const what = `${target.family} ${regressions > 1 ? 'regressions, one for each level but the last,' : 'regression'} ${of}`;
  return { cpu, shared: isWeighted ? 0 : sampling, threads: CHAINS, why: `${what}, ${how}` };
}

/** Multiply-adds per gradient; 0 if sums replace all rows. */
function rowFlops(target: TargetSize): number {
  if (isBySums(target.family)) return 0;
  const flops = 4 * (target.entries - target.summed.entries) + 60 * target.read;
  return hasAtom(target.family) && target.summed.columns === 0 ? flops / 2 : flops;
}

const sumsSeconds = ({ summed }: TargetSize): number => COST.flop * 4 * summed.columns ** 2;

function rowsSeconds({ family, read, columns, entries, summed }: TargetSize, isPacked: boolean): number {
  if (isBySums(family)) return 0;
  const flop = isPacked ? COST.packedFlop : COST.flop;
  const flops = 2 * (columns - summed.columns) ** 2 + 4 * (entries - summed.entries);
  return flop * flops + (isPacked ? PACKED_ROW : ROW)[kindOf(family, isPacked)] * read;
}

function kindOf(family: TargetSize['family'], isPacked: boolean): keyof typeof ROW {
  if (family.includes('beta') || (family === 'student_t' && !isPacked)) return 'slow';
  return hasAtom(family) && family.endsWith('negative_binomial') ? 'scattered' : 'plain';
}
