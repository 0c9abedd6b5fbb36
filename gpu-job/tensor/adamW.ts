/**
 * AdamW (Loshchilov and Hutter, 2019) with the gradient clipped by its norm, as nodes of a graph. All parameters are one
 * vector, so that an update is a dozen nodes however many matrices there are.
 */
import { constant, input, scalar, type Tensor } from './graph.ts';
import { add, divide, minimum, multiply, scale, sqrt, subtract } from './operators/elementwise.ts';
import { reshape, sum, sumAll } from './operators/shapes.ts';
import type { StateLink } from './program.ts';

export interface AdamW {
  beta1: number;
  beta2: number;
  epsilon: number;
  /** Applied to the first `decayed` entries. */
  weightDecay: number;
  decayed: number;
  /** Largest norm of a gradient. */
  clip: number;
}

export const ADAM_DEFAULTS = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, clip: 1 } as const;

/** Names of state and of what each step is told: its learning rate and the two corrections for a young average. */
export const MOMENTS = ['first moment', 'second moment'] as const;
export const RATES = ['learning rate', 'correction 1', 'correction 2'] as const;

/** Feeds of `RATES` for steps `from` … of a schedule; the first step of all is step 1. */
export function adamRates(settings: AdamW, rates: Float32Array, from: number): Record<string, Float32Array> {
  const [name, one, two] = RATES;
  const correction = (beta: number) => rates.map((_, k) => 1 / (1 - beta ** (from + k)));
  return { [name]: rates, [one]: correction(settings.beta1), [two]: correction(settings.beta2) };
}

/** The state links of parameters (a vector, the input `name`) under their gradient. Adds inputs: MOMENTS and RATES. */
export function adamW(
  name: string,
  parameters: Tensor,
  gradient: Tensor,
  settings: AdamW,
): { links: StateLink[]; norm: Tensor } {
  const { graph, shape } = parameters;
  const { beta1, beta2, epsilon, clip } = settings;
  const [m, v] = MOMENTS.map((moment) => input(graph, moment, shape)) as [Tensor, Tensor];
  const [rate, one, two] = RATES.map((own) => input(graph, own, [])) as [Tensor, Tensor, Tensor];
  const norm = sqrt(sumOfSquares(gradient));
  const factor = minimum(scalar(graph, 1), divide(scalar(graph, clip), add(norm, scalar(graph, 1e-6))));
  const g = multiply(gradient, factor);
  const nextM = add(scale(m, beta1), scale(g, 1 - beta1));
  const nextV = add(scale(v, beta2), scale(multiply(g, g), 1 - beta2));
  const step = divide(multiply(nextM, one), add(sqrt(multiply(nextV, two)), scalar(graph, epsilon)));
  const next = subtract(parameters, multiply(rate, add(step, decay(parameters, settings))));
  return {
    links: [
      { input: name, next },
      { input: MOMENTS[0], next: nextM },
      { input: MOMENTS[1], next: nextV },
    ],
    norm,
  };
}

function decay(parameters: Tensor, { weightDecay, decayed }: AdamW): Tensor {
  const { graph, shape } = parameters;
  const mask = Float32Array.from({ length: shape[0]! }, (_, k) => (k < decayed ? weightDecay : 0));
  const isUniform = decayed === 0 || decayed >= shape[0]!;
  return multiply(
    parameters,
    isUniform ? scalar(graph, decayed === 0 ? 0 : weightDecay) : constant(graph, mask, shape),
  );
}

/** In rows first: a sum of millions of floats in one go loses digits, and may depend on the number of threads. */
function sumOfSquares(x: Tensor): Tensor {
  const length = x.shape[0]!;
  const width = Math.ceil(Math.sqrt(length));
  const squares = multiply(x, x);
  const rows = Math.floor(length / width);
  if (rows * width !== length) return sumAll(squares);
  return sumAll(sum(reshape(squares, [rows, width]), [1]));
}
