import type { TargetFamily } from '../../../../contract/families.ts';
import type { RegressionMetrics } from '../../../../contract/regressionMetrics.ts';
import type { LeaveOneOut } from '../../../../numerics/regression/leaveOneOut.ts';
import type { Coefficient, SampledRegression } from '../../../../numerics/regression/sampleRegression.ts';
import type { Diagnostics } from '../../../../numerics/regression/samplingTask.ts';
import { counted } from '../../../../words/wording.ts';
import type { FitSettings } from '../../model.ts';
import { type DescribedRegression, describeRegression } from '../describeRegression.ts';

interface LabelFacts {
  name: string;
  levels: readonly string[];
  rows: Int32Array;
}

/** Combines regressions: the worst diagnostics, and sums of counts. */
export function together(
  stages: readonly SampledRegression[],
  levels: readonly string[],
  family: TargetFamily,
): DescribedRegression {
  const [first] = stages;
  if (!first) throw new RangeError('no regression');
  const named = (k: number) => (stages.length === 1 ? '' : `${levels[k]}: `);
  const prefixed = <T extends { name: string }>(k: number, own: readonly T[]): T[] =>
    own.map((one) => ({ ...one, name: named(k) + one.name }));
  return {
    model: { family },
    chains: first.chains,
    rows: first.rows,
    fenced: 0,
    diagnostics: worstOf(stages.map(({ diagnostics }) => diagnostics)),
    names: stages.flatMap(({ names }, k) => names.map((name) => named(k) + name)),
    checks: { mean: null, sd: null, zeros: null, least: null, greatest: null },
    loo: sumOf(stages.map(({ loo }) => loo)),
    dropped: stages.flatMap(({ dropped }, k) => prefixed(k, dropped)),
    coefficients: (limit) =>
      stages.flatMap((stage, k): Coefficient[] =>
        prefixed(k, stage.coefficients(limit && Math.ceil(limit / stages.length))),
      ),
  };
}

function worstOf(all: readonly Diagnostics[]): DescribedRegression['diagnostics'] {
  const numbers = (of: (own: Diagnostics) => number | null): number[] =>
    all.flatMap((own) => {
      const value = of(own);
      return value === null || Number.isNaN(value) ? [] : [value];
    });
  const most = (of: (own: Diagnostics) => number | null) => Math.max(...numbers(of), Number.NEGATIVE_INFINITY);
  const least = (of: (own: Diagnostics) => number | null) => Math.min(...numbers(of), Number.POSITIVE_INFINITY);
  const total = (of: (own: Diagnostics) => number) => all.reduce((sum, own) => sum + of(own), 0);
  const shapes = numbers((own) => own.paretoShape);
  const ratios = numbers((own) => own.worstRHat);
  return {
    method: (['importance', 'subsample'] as const).find((one) => all.some(({ method }) => method === one)) ?? 'chains',
    tune: most((own) => own.tune),
    worstRHat: ratios.length > 0 ? Math.max(...ratios) : Number.NaN,
    leastBulkEss: least((own) => own.leastBulkEss),
    leastTailEss: least((own) => own.leastTailEss),
    leastEbfmi: least((own) => own.leastEbfmi),
    divergences: total((own) => own.divergences),
    depthExceeded: total((own) => own.depthExceeded),
    paretoShape: shapes.length > 0 ? Math.max(...shapes) : null,
    converged: all.every(({ converged }) => converged),
  };
}

/** Adds the answers' log densities; treats their errors as independent. */
function sumOf(all: readonly (LeaveOneOut | null)[]): LeaveOneOut | null {
  const known = all.filter((loo) => loo !== null);
  if (known.length < all.length) return null;
  const total = (of: (loo: LeaveOneOut) => number) => known.reduce((sum, loo) => sum + of(loo), 0);
  return {
    elpd: total(({ elpd }) => elpd),
    se: Math.sqrt(total(({ se }) => se ** 2)),
    parameters: total(({ parameters }) => parameters),
    rows: total(({ rows }) => rows),
    badShapes: total(({ badShapes }) => badShapes),
  };
}

interface Described {
  settings: Pick<FitSettings, 'draws' | 'calibrate'>;
  ordered: boolean;
  /** Design columns of rare levels, not listed. */
  unnamed: ReadonlySet<string> | undefined;
}

export function describeLabel(
  label: LabelFacts,
  whole: DescribedRegression,
  { settings, ordered, unnamed = new Set() }: Described,
): RegressionMetrics & { family: TargetFamily } {
  const { name, levels, rows } = label;
  const hidden = new Set([...unnamed, ...levels.flatMap((level) => [...unnamed].map((one) => `${level}: ${one}`))]);
  return {
    ...describeRegression(name, whole, settings, hidden),
    family: whole.model.family,
    label: { levels: levelsWithRows(levels, rows), ordered, calibration: null },
  };
}

const levelsWithRows = (levels: readonly string[], rows: Int32Array) =>
  levels.map((level, k) => ({ level, rows: rows[k]! }));

export function constantMetrics(
  target: string,
  family: TargetFamily,
  { levels, rows }: LabelFacts,
): RegressionMetrics & { family: TargetFamily } {
  const total = rows.reduce((sum, count) => sum + count, 0);
  const unknown = { worst_r_hat: null, least_bulk_ess: null, least_tail_ess: null, least_e_bfmi: null, pareto_k: null };
  return {
    target,
    family,
    rows: total,
    chains: 0,
    draws: 0,
    tune: 0,
    ...unknown,
    method: 'none: the target has only one level of enough rows',
    divergences: 0,
    depth_exceeded: 0,
    converged: true,
    parameters: 0,
    left_out: [],
    coefficients: [],
    loo: null,
    summary:
      levels.length === 0
        ? 'No level has enough rows to be released, so that every synthetic cell is empty. Give the column the role of a category.'
        : `All of its ${counted(total, 'row')} that may be released have one level, which every synthetic row gets; no model was fitted. Upload rows with other levels to have it vary.`,
    calibrated: true,
    predictive_p_values: { mean: null, sd: null, zeros: null, least: null, greatest: null },
    label: { levels: levelsWithRows(levels, rows), ordered: false, calibration: null },
  };
}
