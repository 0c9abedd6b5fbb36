/** AdamW (Loshchilov and Hutter 2019) with gradient clipping. A matrix stays in cache through its nodes. */
import { input, type StateLink, scalar, type Tensor } from './graph.ts';
import { add, divide, minimum, multiply, scale, sqrt, subtract } from './operators/elementwise.ts';
import { concat, reshape, sum, sumAll } from './operators/shapes.ts';

export interface AdamW {
  beta1: number;
  beta2: number;
  epsilon: number;
  weightDecay: number;
  clip: number;
}

export const ADAM_DEFAULTS = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, clip: 1 } as const;

/** `name`: graph input. */
export interface Trained {
  name: string;
  tensor: Tensor;
  gradient: Tensor;
  isDecayed: boolean;
}

/** Parameter, mean gradient, mean square. */
export const stateNames = (name: string): readonly [string, string, string] => [
  name,
  `mean of ${name}`,
  `square of ${name}`,
];

/** Learning rate combined with bias corrections. */
export const RATES = ['rate', 'least root', 'kept'] as const;

/** Unit of the mean, in which gradients enter with the factor of their square. */
const unitOf = ({ beta1, beta2 }: Pick<AdamW, 'beta1' | 'beta2'>): number => Math.sqrt(1 - beta2) / (1 - beta1);

/** Feeds of `RATES` for steps from `from`; the first is 1. */
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

/** One sum over millions of floats loses digits and depends on threads. */
function sumOfSquares(x: Tensor): Tensor {
  const squares = multiply(x, x);
  return reshape(sumAll(x.shape.length > 1 ? sum(squares, [x.shape.length - 1]) : squares), [1]);
}
