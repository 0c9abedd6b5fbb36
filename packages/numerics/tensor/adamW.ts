/**
 * AdamW (Loshchilov and Hutter, 2019) with the gradient clipped by its norm, as nodes of a graph: a dozen for each matrix,
 * which stays in the processor's cache from one to the next.
 */
import { input, type StateLink, scalar, type Tensor } from './graph.ts';
import { add, divide, minimum, multiply, scale, sqrt, subtract } from './operators/elementwise.ts';
import { concat, reshape, sum, sumAll } from './operators/shapes.ts';

export interface AdamW {
  beta1: number;
  beta2: number;
  epsilon: number;
  /** Decay of the parameters that have one. */
  weightDecay: number;
  /** Largest norm of a gradient. */
  clip: number;
}

export const ADAM_DEFAULTS = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, clip: 1 } as const;

/** A parameter, the input `name` of its graph, and the gradient that it follows. */
export interface Trained {
  name: string;
  tensor: Tensor;
  gradient: Tensor;
  isDecayed: boolean;
}

/** Names of a parameter's state: itself, and averages of its gradient and of the gradient's square. */
export const stateNames = (name: string): readonly [string, string, string] => [
  name,
  `mean of ${name}`,
  `square of ${name}`,
];

/** Inputs of a step: factors made of its learning rate and of the corrections for young averages. */
export const RATES = ['rate', 'least root', 'kept'] as const;

/** The mean is kept in this unit, in which the gradient enters it by the factor that its square needs. */
const unitOf = ({ beta1, beta2 }: Pick<AdamW, 'beta1' | 'beta2'>): number => Math.sqrt(1 - beta2) / (1 - beta1);

/** Feeds of `RATES` for steps `from` … of a schedule; the first step of all is step 1. */
export function adamRates(settings: AdamW, rates: Float32Array, from: number): Record<string, Float32Array> {
  const { beta1, beta2, epsilon, weightDecay } = settings;
  const root = (k: number): number => Math.sqrt(1 - beta2 ** (from + k));
  const own = [
    rates.map((rate, k) => (rate * root(k)) / (1 - beta1 ** (from + k)) / unitOf(settings)),
    rates.map((_, k) => epsilon * root(k)),
    rates.map((rate) => 1 - rate * weightDecay),
  ];
  return Object.fromEntries(RATES.map((name, k) => [name, own[k]!]));
}

/** The state links of parameters under their gradients. Adds inputs: their averages, and RATES. */
export function adamW(trained: readonly Trained[], settings: Omit<AdamW, 'weightDecay'>): StateLink[] {
  const { graph } = trained[0]!.tensor;
  const [rate, least, kept] = RATES.map((own) => input(graph, own, [])) as [Tensor, Tensor, Tensor];
  const norm = sqrt(
    sumAll(
      concat(
        trained.map(({ gradient }) => sumOfSquares(gradient)),
        0,
      ),
    ),
  );
  const clipped = minimum(scalar(graph, 1), divide(scalar(graph, settings.clip), add(norm, scalar(graph, 1e-6))));
  const factor = scale(clipped, Math.sqrt(1 - settings.beta2));
  return trained.flatMap(({ name, tensor, gradient, isDecayed }) => {
    const [own, mean, square] = stateNames(name);
    const g = multiply(gradient, factor);
    const nextMean = add(scale(input(graph, mean, tensor.shape), settings.beta1), g);
    const nextSquare = add(scale(input(graph, square, tensor.shape), settings.beta2), multiply(g, g));
    const step = multiply(divide(nextMean, add(sqrt(nextSquare), least)), rate);
    const next = subtract(isDecayed ? multiply(tensor, kept) : tensor, step);
    return [
      { input: own, next },
      { input: mean, next: nextMean },
      { input: square, next: nextSquare },
    ];
  });
}

/** In rows first: a sum of millions of floats in one go loses digits, and may depend on the number of threads. */
function sumOfSquares(x: Tensor): Tensor {
  const squares = multiply(x, x);
  return reshape(sumAll(x.shape.length > 1 ? sum(squares, [x.shape.length - 1]) : squares), [1]);
}
