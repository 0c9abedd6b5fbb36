import { describe, expect, test } from 'vitest';
import { createStream, streamAt, xoshiro128 } from '../../../packages/numerics/random/createStream.ts';
import { expectNear, withinStandardErrors } from '../../support/tolerance.ts';

const N = 200_000;
const take = (n: number, draw: () => number): number[] => Array.from({ length: n }, draw);
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values: number[]): number => {
  const centre = mean(values);
  return mean(values.map((value) => (value - centre) ** 2));
};

describe('xoshiro128**', () => {
  test('gives the published outputs from state 1, 2, 3, 4', () => {
    expect(take(10, xoshiro128(new Uint32Array([1, 2, 3, 4])))).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
    ]);
  });
});

describe('a stream', () => {
  test('is a function of seed and name alone', () => {
    const first = createStream(7, 'text');
    const again = createStream(7, 'text');
    expect(take(50, first.uniform)).toEqual(take(50, again.uniform));
  });

  test('changes with any single bit of a 53-bit seed', () => {
    const seeds = [0, ...Array.from({ length: 53 }, (_, bit) => 2 ** bit), Number.MAX_SAFE_INTEGER];
    const firsts = seeds.map((seed) => createStream(seed, 'a').uniform());
    expect(new Set(firsts).size).toBe(seeds.length);
  });

  test.each([-1, 0.5, 2 ** 53, Number.NaN])('refuses the seed %f', (seed) => {
    expect(() => createStream(seed, 'a')).toThrow(RangeError);
  });

  test('has children that depend on their path, not on what was drawn before', () => {
    const parent = createStream(1, 'root');
    const before = take(5, parent.child('x').uniform);
    parent.uniform();
    expect(take(5, parent.child('x').uniform)).toEqual(before);
    const names = ['x', 'y', '', 'x/y', '__proto__', '\u0000', 'é', '😀'];
    const firsts = names.map((name) => parent.child(name).uniform());
    firsts.push(
      parent.child('x').child('y').uniform(),
      parent.child('xy').uniform(),
      createStream(1, 'rootx').uniform(),
    );
    expect(new Set(firsts).size).toBe(firsts.length);
  });

  test('is made anew from its origin, as plain data, however much was drawn', () => {
    const stream = createStream(2 ** 53 - 1, 'root').child('é');
    const [first, inner] = [take(5, stream.uniform), stream.child('x').uniform()];
    const again = streamAt(structuredClone(stream.origin));
    expect(take(5, again.uniform)).toEqual(first);
    expect(again.child('x').uniform()).toBe(inner);
  });

  test('is uncorrelated with its siblings and with neighbouring seeds', () => {
    const streams = [createStream(3, 'a'), createStream(3, 'b'), createStream(4, 'a'), createStream(3, 'a').child('a')];
    const drawn = streams.map((stream) => take(N, stream.normal));
    for (const [i, left] of drawn.entries()) {
      for (const right of drawn.slice(0, i)) {
        expectNear(mean(left.map((value, k) => value * right[k]!)), 0, withinStandardErrors(5, 1 / Math.sqrt(N)));
      }
    }
  });

  test('draws uniforms inside (0, 1) with the right moments and no serial correlation', () => {
    const values = take(N, createStream(0, 'u').uniform);
    expect(Math.min(...values.slice(0, 1000))).toBeGreaterThan(0);
    expectNear(mean(values), 0.5, withinStandardErrors(5, Math.sqrt(1 / 12 / N)));
    expectNear(variance(values), 1 / 12, withinStandardErrors(2.9, Math.sqrt((1 / 80 - 1 / 144) / N)));
    const serial = mean(values.slice(1).map((value, i) => (value - 0.5) * (values[i]! - 0.5)));
    expectNear(serial, 0, withinStandardErrors(5, 1 / 12 / Math.sqrt(N)));
  });

  test('draws normals with the right first four moments', () => {
    const values = take(N, createStream(11, 'n').normal);
    expectNear(mean(values), 0, withinStandardErrors(5, Math.sqrt(1 / N)));
    expectNear(variance(values), 1, withinStandardErrors(5, Math.sqrt(2 / N)));
    expectNear(mean(values.map((value) => value ** 3)), 0, withinStandardErrors(5, Math.sqrt(15 / N)));
    expectNear(mean(values.map((value) => value ** 4)), 3, withinStandardErrors(4.5, Math.sqrt(96 / N)));
  });

  test('draws integers below n evenly, up to n = 2^32', () => {
    const stream = createStream(5, 'i');
    const counts = new Array<number>(7).fill(0);
    for (let i = 0; i < N; i++) counts[stream.integer(7)]! += 1;
    const expected = N / 7;
    const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    expect(chiSquare).toBeLessThan(30);
    expect(take(100, () => stream.integer(1))).toEqual(new Array(100).fill(0));
    expect(stream.integer(2 ** 32)).toBeLessThan(2 ** 32);
    for (const n of [0, -1, 1.5, 2 ** 33]) expect(() => stream.integer(n)).toThrow(RangeError);
  });

  test.each([0.2, 1, 3.5, 40])('draws gammas of shape %f with that mean and variance', (shape) => {
    const values = take(N, () => createStreamGamma(shape));
    expectNear(mean(values), shape, withinStandardErrors(6, Math.sqrt(shape / N)));
    expectNear(variance(values) / shape, 1, withinStandardErrors(3.9, Math.sqrt((2 + 6 / shape) / N)));
  });
});

const gammas = createStream(9, 'g');
const createStreamGamma = (shape: number): number => gammas.gamma(shape);
