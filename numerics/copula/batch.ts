/** Array forms of a pair copula's functions by plain loops: for copulas that have no quicker way. */
import type { PairCopula } from './pairCopula.ts';

type Scalar = 'logDensity' | 'h1' | 'h2' | 'inverseH1' | 'inverseH2';
type Batch = 'logDensityInto' | 'h1Into' | 'h2Into' | 'inverseH1Into' | 'inverseH2Into';
type ScalarFunction = (a: number, b: number) => number;
type BatchFunction = (a: Float64Array, b: Float64Array, out: Float64Array) => void;

function overArrays(f: ScalarFunction): BatchFunction {
  return (a, b, out) => {
    for (let i = 0; i < out.length; i++) out[i] = f(a[i]!, b[i]!);
  };
}

/** The array forms of `scalar`. */
export function batchOf(scalar: Pick<PairCopula, Scalar>): Pick<PairCopula, Batch> {
  return {
    logDensityInto: overArrays(scalar.logDensity),
    h1Into: overArrays(scalar.h1),
    h2Into: overArrays(scalar.h2),
    inverseH1Into: overArrays(scalar.inverseH1),
    inverseH2Into: overArrays(scalar.inverseH2),
  };
}
