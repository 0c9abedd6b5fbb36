/** The samplers of noise, each with the weights that its draws have to have. */
import {
  drawBelow,
  drawByScore,
  drawDiscreteGaussian,
  drawDiscreteLaplace,
  type RandomBytes,
} from '../../packages/numerics/privacy/exactNoise.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';

/** Bytes that are the same in every run. */
export function bytesFrom(seed: number, name: string): RandomBytes {
  const stream = createStream(seed, name);
  return (count) => Uint8Array.from({ length: count }, () => stream.integer(256));
}

export interface Sampler {
  name: string;
  draw(bytes: RandomBytes): number;
  values: readonly number[];
  /** In proportion to the probability of a value. */
  weight(value: number): number;
}

const around = Array.from({ length: 401 }, (_, at) => at - 200);
const SCORES = [3n, 0n, 5n, -40n, 4n];

const gaussian = (of: bigint, over: bigint): Sampler => ({
  name: `discrete Gaussian, variance ${of}/${over}`,
  draw: (bytes) => Number(drawDiscreteGaussian({ of, over }, bytes)),
  values: around,
  weight: (value) => Math.exp((-(value ** 2) * Number(over)) / (2 * Number(of))),
});

const laplace = (of: bigint, over: bigint): Sampler => ({
  name: `discrete Laplace, scale ${of}/${over}`,
  draw: (bytes) => Number(drawDiscreteLaplace({ of, over }, bytes)),
  values: around,
  weight: (value) => Math.exp((-Math.abs(value) * Number(over)) / Number(of)),
});

export const SAMPLERS: readonly Sampler[] = [
  gaussian(1n, 7n),
  gaussian(9n, 4n),
  gaussian(400n, 1n),
  laplace(1n, 3n),
  laplace(5n, 2n),
  laplace(12n, 1n),
  {
    name: 'exponential mechanism, rate 1/2',
    draw: (bytes) => drawByScore(SCORES, { of: 1n, over: 2n }, bytes),
    values: [0, 1, 2, 3, 4],
    weight: (at) => Math.exp(0.5 * Number(SCORES[at])),
  },
  {
    name: 'uniform below 300',
    draw: (bytes) => Number(drawBelow(300n, bytes)),
    values: Array.from({ length: 300 }, (_, at) => at),
    weight: () => 1,
  },
];
