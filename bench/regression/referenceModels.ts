/** The models of the reference posteriors, as `../shared/posteriors/README.md` writes them, from its `data.json`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { FamilyName } from '../../packages/numerics/distributions/families.ts';
import type { DenseMatrix, PredictorSpec, Prior, RegressionSpec } from '../../packages/numerics/regression/spec.ts';

const dataSchema = z.record(
  z.string(),
  z.union([z.number(), z.string(), z.array(z.number()), z.array(z.string()), z.array(z.array(z.number()))]),
);
const referenceSchema = z.record(z.string(), z.object({ mean: z.number(), sd: z.number() }));

/** Posterior mean and standard deviation by parameter. */
export type Reference = z.infer<typeof referenceSchema>;

/** Columns of `data.json`. */
interface Data {
  vector(name: string): Float64Array;
  matrix(name: string): number[][];
  number(name: string): number;
}

type Model = (data: Data) => RegressionSpec;

const FLAT: Prior = { kind: 'flat' };
const normal = (mean: number, sd: number): Prior => ({ kind: 'normal', mean, sd });
const exponential = (rate: number): Prior => ({ kind: 'exponential', rate });
const uniform = (lower: number, upper: number): Prior => ({ kind: 'uniform', lower, upper });
const constant = (parameter: string, prior: Prior): PredictorSpec => ({ kind: 'constant', parameter, prior });

const ones = (like: { length: number }): Float64Array => new Float64Array(like.length).fill(1);
const mean = (x: Float64Array): number => x.reduce((sum, value) => sum + value, 0) / x.length;
const centred = (x: Float64Array): Float64Array => {
  const centre = mean(x);
  return x.map((value) => value - centre);
};
const sd = (x: Float64Array): number =>
  Math.sqrt(centred(x).reduce((sum, value) => sum + value * value, 0) / (x.length - 1));
const times = (a: Float64Array, b: Float64Array): Float64Array => a.map((value, i) => value * b[i]!);
const is = (x: Float64Array, level: number): Float64Array => x.map((value) => Number(value === level));
const log = (x: Float64Array): Float64Array => x.map((value) => Math.log(value));
const columnOf = (rows: number[][], j: number): Float64Array => Float64Array.from(rows, (row) => row[j]!);
const columnsOf = (rows: number[][]): Float64Array[] => rows[0]!.map((_, j) => columnOf(rows, j));

function bind(columns: readonly Float64Array[]): DenseMatrix {
  const rows = columns[0]!.length;
  const cols = columns.length;
  const values = Float64Array.from({ length: rows * cols }, (_, k) => columns[k % cols]![Math.floor(k / cols)]!);
  return { kind: 'dense', rows, cols, values };
}

/** Coefficients by name; those named in pairs of [name, prior]. */
const location = (columns: readonly Float64Array[], named: readonly (readonly [string, Prior])[]): PredictorSpec => ({
  kind: 'linear',
  parameter: 'mu',
  design: bind(columns),
  names: named.map(([name]) => name),
  priors: named.map(([, prior]) => prior),
  pools: [],
});

const numbered = (name: string, count: number, prior: Prior): [string, Prior][] =>
  Array.from({ length: count }, (_, j) => [`${name}[${j + 1}]`, prior]);

const spec = (family: FamilyName, y: Float64Array, predictors: PredictorSpec[]): RegressionSpec => ({
  family,
  y,
  weights: null,
  predictors,
});

/** y ~ N(X·beta, σ) with flat priors. */
function plain(y: Float64Array, columns: readonly Float64Array[], sigma: Prior = FLAT): RegressionSpec {
  const design = [ones(y), ...columns];
  return spec('gaussian', y, [location(design, numbered('beta', design.length, FLAT)), constant('sigma', sigma)]);
}

/** The five whose folder names the family: alpha and beta on the standardised columns of X. */
function generalised(data: Data, family: FamilyName, [alpha, beta]: [Prior, Prior], others: PredictorSpec[]) {
  const y = data.vector('y');
  const columns = columnsOf(data.matrix('X'));
  const named: [string, Prior][] = [['alpha', alpha], ...numbered('beta', columns.length, beta)];
  return spec(family, y, [location([ones(y), ...columns], named), ...others]);
}

const MESQUITE = ['diam1', 'diam2', 'canopy_height', 'total_height', 'density'];
const WIDE: [Prior, Prior] = [normal(0, 5), normal(0, 2.5)];

export const REFERENCE_MODELS: Record<string, Model> = {
  earnings__earn_height: (data) => plain(data.vector('earn'), [data.vector('height')]),
  earnings__logearn_interaction(data) {
    const [height, male] = [data.vector('height'), data.vector('male')];
    return plain(log(data.vector('earn')), [height, male, times(height, male)]);
  },
  kidiq__kidscore_interaction(data) {
    const [school, iq] = [data.vector('mom_hs'), data.vector('mom_iq')];
    return plain(data.vector('kid_score'), [school, iq, times(school, iq)], { kind: 'cauchy', mean: 0, scale: 2.5 });
  },
  kidiq_with_mom_work__kidscore_interaction_z(data) {
    const halved = (x: Float64Array) => {
      const scale = 2 * sd(x);
      return centred(x).map((value) => value / scale);
    };
    const [school, iq] = [halved(data.vector('mom_hs')), halved(data.vector('mom_iq'))];
    return plain(data.vector('kid_score'), [school, iq, times(school, iq)]);
  },
  kidiq_with_mom_work__kidscore_mom_work(data) {
    const work = data.vector('mom_work');
    return plain(data.vector('kid_score'), [is(work, 2), is(work, 3), is(work, 4)]);
  },
  kilpisjarvi_mod__kilpisjarvi(data) {
    const x = data.vector('x');
    const named: [string, Prior][] = [
      ['alpha', normal(data.number('pmualpha'), data.number('psalpha'))],
      ['beta', normal(data.number('pmubeta'), data.number('psbeta'))],
    ];
    return spec('gaussian', data.vector('y'), [location([ones(x), x], named), constant('sigma', FLAT)]);
  },
  mesquite__mesquite: (data) => plain(data.vector('weight'), [...MESQUITE, 'group'].map(data.vector)),
  mesquite__logmesquite: (data) =>
    plain(log(data.vector('weight')), [...MESQUITE.map((name) => log(data.vector(name))), data.vector('group')]),
  nes2000__nes(data) {
    const age = data.vector('age_discrete');
    const ages = [is(age, 2), is(age, 3), is(age, 4)];
    const others = ['educ1', 'gender', 'income'].map(data.vector);
    return plain(data.vector('partyid7'), [data.vector('real_ideo'), data.vector('race_adj'), ...ages, ...others]);
  },
  sblrc__blr(data) {
    const columns = columnsOf(data.matrix('X'));
    const named = numbered('beta', columns.length, normal(0, 10));
    return spec('gaussian', data.vector('y'), [location(columns, named), constant('sigma', normal(0, 10))]);
  },
  diamonds__diamonds(data) {
    const columns = columnsOf(data.matrix('X')).slice(1);
    const t: Prior = { kind: 'student_t', df: 3, mean: 8, scale: 10 };
    const named: [string, Prior][] = [['Intercept', t], ...numbered('b', columns.length, normal(0, 1))];
    const y = data.vector('Y');
    return spec('gaussian', y, [
      location([ones(y), ...columns.map(centred)], named),
      constant('sigma', { ...t, mean: 0 }),
    ]);
  },
  wells_data__wells_daae_c_model(data) {
    const distance = centred(data.vector('dist')).map((value) => value / 100);
    const arsenic = centred(data.vector('arsenic'));
    const education = data.vector('educ').map((value) => value / 4);
    const y = data.vector('switched');
    const columns = [ones(y), distance, arsenic, times(distance, arsenic), data.vector('assoc'), education];
    return spec('bernoulli', y, [location(columns, [['alpha', FLAT], ...numbered('beta', 5, FLAT)])]);
  },
  GLM_Poisson_Data__GLM_Poisson_model(data) {
    const year = data.vector('year');
    const square = times(year, year);
    const named: [string, Prior][] = [
      ['alpha', uniform(-20, 20)],
      ...[1, 2, 3].map((power): [string, Prior] => [`beta${power}`, uniform(-10, 10)]),
    ];
    return spec('poisson', data.vector('C'), [location([ones(year), year, square, times(square, year)], named)]);
  },
  forbes_logmv__studentt: (data) =>
    generalised(
      data,
      'student_t',
      [normal(0, 2.5), normal(0, 2.5)],
      [constant('sigma', exponential(1)), constant('nu', { kind: 'gamma', shape: 2, rate: 0.1 })],
    ),
  k401k_prate__beta: (data) => generalised(data, 'beta', WIDE, [constant('phi', exponential(0.1))]),
  nmes_emergency__zip: (data) => generalised(data, 'zero_inflated_poisson', WIDE, [constant('zero', uniform(0, 1))]),
  nmes_visits__negbin: (data) => generalised(data, 'negative_binomial', WIDE, [constant('phi', exponential(1))]),
  ohlsson_claims__gamma: (data) => generalised(data, 'gamma', WIDE, [constant('shape', exponential(1))]),
};

/** What the references call a parameter. */
export const referenceName = (name: string): string => (name === 'zero' ? 'zi' : name);

export function readReferenceModel(sharedFolder: string, name: string): { spec: RegressionSpec; reference: Reference } {
  const folder = join(sharedFolder, 'posteriors', name);
  const data = dataSchema.parse(JSON.parse(readFileSync(join(folder, 'data.json'), 'utf8')));
  const reference = referenceSchema.parse(JSON.parse(readFileSync(join(folder, 'reference.json'), 'utf8')));
  return { spec: REFERENCE_MODELS[name]!(openData(data)), reference };
}

const vectorSchema = z.array(z.number());
const matrixSchema = z.array(z.array(z.number()));

function openData(data: z.infer<typeof dataSchema>): Data {
  return {
    vector: (name) => Float64Array.from(vectorSchema.parse(data[name])),
    matrix: (name) => matrixSchema.parse(data[name]),
    number: (name) => z.coerce.number().parse(data[name]),
  };
}
