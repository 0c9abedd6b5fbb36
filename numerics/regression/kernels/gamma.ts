/** Gamma rows with one shape a: with δ = log y - η, a (δ - e^δ + 1), and a's normaliser once. */
import { boundedLogShape } from '../../distributions/parts.ts';
import { gammaNormaliser } from '../../special/gammaRatio.ts';
import type { RowKernel } from '../rowKernel.ts';
import { fastExp } from './fastMath.ts';
import { weightedSum } from './poisson.ts';

/** Below it e^δ - 1 is summed as a series, so that a large shape keeps its digits. */
const NEAR = 1e-3;

export function gammaKernel(y: Float64Array, w: Float64Array): RowKernel {
  const logY = y.map((value) => Math.log(value));
  const constant = -weightedSum(logY, w, (value) => value);
  const total = weightedSum(y, w, () => 1);
  const normaliser = new Float64Array(2);
  let logShape = 0;
  let shape = 1;
  return {
    prepare(constants) {
      logShape = boundedLogShape(constants[1]!);
      shape = Math.exp(logShape);
    },
    block(from, count, [eta], [d], constantGradient) {
      let value = 0;
      for (let i = 0; i < count; i++) {
        const delta = logY[from + i]! - eta![i]!;
        const excess =
          delta > -NEAR && delta < NEAR
            ? delta * (1 + delta * (0.5 + delta * (1 / 6 + delta * (1 / 24 + delta / 120))))
            : fastExp(delta) - 1;
        const weight = w[from + i]! * shape;
        value += weight * (delta - excess);
        d![i] = weight * excess;
      }
      constantGradient[1]! += value;
      return value;
    },
    finish(constantGradient) {
      gammaNormaliser(shape, logShape, normaliser);
      constantGradient[1]! += total * normaliser[1]!;
      return total * normaliser[0]! + constant;
    },
  };
}
