import { describe, expect, it } from 'vitest';
import { conditionOnU, conditionOnV, pairLogLikelihood } from '../../../packages/numerics/copula/discrete.ts';
import { fitPair } from '../../../packages/numerics/copula/fitPair.ts';
import { kendallTau } from '../../../packages/numerics/copula/kendallTau.ts';
import type { PairData, Rotation } from '../../../packages/numerics/copula/pairCopula.ts';
import { isFamilyId, makePair, PAIR_FAMILIES, restorePair } from '../../../packages/numerics/copula/registry.ts';
import { selectPair } from '../../../packages/numerics/copula/selectPair.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { PARAMETER_GRID } from './support/parameterGrid.ts';
import { simulatePair } from './support/simulatePair.ts';

const names = Object.keys(PAIR_FAMILIES).filter(isFamilyId);
const dependent = names.filter((name) => name !== 'independence');
const moderate = (name: (typeof names)[number]) => PAIR_FAMILIES[name].fromTau(0.4);
const last = (rotations: readonly Rotation[]) => rotations.at(-1)!;

function drawn(name: string, rotation: Rotation, parameters: readonly number[], n: number): PairData {
  const pair = makePair(name, rotation, parameters);
  return { ...simulatePair(pair, n, createStream(12, `${name}/${rotation}`)), uBelow: null, vBelow: null };
}

/** Rounds a margin up to steps of 1 / levels, as the ranks of a discrete column would be. */
function stepped(u: Float64Array, levels: number): { at: Float64Array; below: Float64Array } {
  const at = u.map((value) => Math.ceil(value * levels) / levels);
  return { at, below: at.map((value) => value - 1 / levels) };
}

describe.each(names)('%s', (name) => {
  it('simulates its own τ, within three and a half standard errors, for every rotation and ten parameters', () => {
    const n = 1500;
    for (const rotation of PAIR_FAMILIES[name].rotations) {
      for (const parameters of PARAMETER_GRID[name]) {
        const { u, v } = drawn(name, rotation, parameters, n);
        const tau = makePair(name, rotation, parameters).tau();
        // The variance of τ̂ is at most 2 (1 - τ²) / n (Kendall); 380 draws are looked at.
        expect(Math.abs(kendallTau(u, v) - tau)).toBeLessThan(3.5 * Math.sqrt((2 * (1 - tau * tau)) / n) + 1e-3);
      }
    }
  });
});

describe.each(dependent)('fitting %s', (name) => {
  const rotation = last(PAIR_FAMILIES[name].rotations);
  const truth = makePair(name, rotation, moderate(name));
  const data = drawn(name, rotation, moderate(name), 1500);

  it('is no less likely than the truth, in the rotation it was drawn from', () => {
    const fit = fitPair(data, name);
    expect(fit.logLikelihood).toBeGreaterThanOrEqual(pairLogLikelihood(truth, data, null));
    expect(fit.logLikelihood).toBeCloseTo(pairLogLikelihood(restorePair(fit.pair.save()), data, null), 8);
    expect(Math.abs(fit.pair.tau() - truth.tau())).toBeLessThan(0.06);
  });

  it('counts a row of weight two as two rows', () => {
    const half = { u: data.u.slice(0, 200), v: data.v.slice(0, 200), uBelow: null, vBelow: null };
    const twice = {
      u: Float64Array.of(...half.u, ...half.u),
      v: Float64Array.of(...half.v, ...half.v),
      uBelow: null,
      vBelow: null,
    };
    const weighted = fitPair(half, name, { weights: new Float64Array(200).fill(2), rotation });
    expect(weighted.logLikelihood).toBeCloseTo(fitPair(twice, name, { rotation }).logLikelihood, 3);
  });
});

describe('discrete margins', () => {
  const rho = 0.7;
  const truth = makePair('gaussian', 0, [rho]);
  const { u, v } = drawn('gaussian', 0, [rho], 3000);
  const [du, dv] = [stepped(u, 4), stepped(v, 5)];
  const both: PairData = { u: du.at, v: dv.at, uBelow: du.below, vBelow: dv.below };
  const mixed: PairData = { u: du.at, v, uBelow: du.below, vBelow: null };

  it('give probabilities of rectangles that sum to one', () => {
    for (const name of names) {
      const pair = makePair(name, last(PAIR_FAMILIES[name].rotations), moderate(name));
      const cells = Array.from({ length: 20 }, (_, k) => [Math.floor(k / 5), k % 5] as const);
      const data = {
        u: Float64Array.from(cells, ([i]) => (i + 1) / 4),
        v: Float64Array.from(cells, ([, j]) => (j + 1) / 5),
        uBelow: Float64Array.from(cells, ([i]) => i / 4),
        vBelow: Float64Array.from(cells, ([, j]) => j / 5),
      };
      let sum = 0;
      for (let k = 0; k < cells.length; k++) {
        const one = (side: Float64Array) => side.slice(k, k + 1);
        const row = { u: one(data.u), v: one(data.v), uBelow: one(data.uBelow), vBelow: one(data.vBelow) };
        sum += Math.exp(pairLogLikelihood(pair, row, null)) / 20;
      }
      expect(Math.abs(sum - 1)).toBeLessThan(1e-8);
    }
  });

  it.each([
    ['two', both],
    ['one', mixed],
  ])('do not weaken a parametric fit: %s discrete', (_, data) => {
    const fit = fitPair(data, 'gaussian');
    // The standard error of ρ̂ at n = 3,000 is (1 - ρ²)/√n = 0.01, with a loss for the steps.
    expect(Math.abs(fit.pair.save().parameters[0]! - rho)).toBeLessThan(0.04);
  });

  it.each([
    ['two', both],
    ['one', mixed],
  ])('do not weaken TLL, as independent jitter does: %s discrete', (_, data) => {
    const fit = fitPair(data, 'tll');
    const random = createStream(5, 'jitter');
    const jittered = (at: Float64Array, below: Float64Array | null) =>
      at.map((value, i) => (below === null ? value : below[i]! + random.uniform() * (value - below[i]!)));
    const naive = kendallTau(jittered(data.u, data.uBelow), jittered(data.v, data.vBelow));
    expect(Math.abs(fit.pair.tau() - truth.tau())).toBeLessThan(0.04);
    expect(truth.tau() - naive).toBeGreaterThan(0.05);
  });

  it('condition to uniform pseudo-observations of their own steps', () => {
    const next = conditionOnU(truth, mixed);
    // V given U's step is uniform, and no longer depends on U.
    const sorted = next.at.toSorted();
    const distance = Math.max(...sorted.map((value, i) => Math.abs(value - (i + 0.5) / sorted.length)));
    expect(distance).toBeLessThan(1.63 / Math.sqrt(3000));
    expect(Math.abs(kendallTau(next.at, mixed.u))).toBeLessThan(0.05);
    const steps = conditionOnV(truth, mixed);
    expect(steps.below!.every((value, i) => value <= steps.at[i]! && value >= 0)).toBe(true);
  });
});

describe('selection', () => {
  it.each(['clayton', 'frank', 'gumbel', 'student'] as const)('finds %s and its rotation', (name) => {
    const rotation = last(PAIR_FAMILIES[name].rotations);
    // Joe turned by a half is Clayton within two log units here.
    const families = ['gaussian', 'student', 'clayton', 'gumbel', 'frank'] as const;
    const parameters = name === 'student' ? [0.6, 3] : moderate(name);
    const fit = selectPair(drawn(name, rotation, parameters, 2000), { families, criterion: 'bic' });
    expect(fit.pair.family).toBe(name);
    expect(fit.pair.rotation).toBe(rotation);
  });

  it('keeps independence where nothing depends, by pretest and by each criterion', () => {
    const data = drawn('independence', 0, [], 1000);
    expect(selectPair(data, { families: ['tll'], criterion: 'aic', independencePretest: true }).pair.family).toBe(
      'independence',
    );
    for (const criterion of ['bic', 'mbicv'] as const) {
      expect(selectPair(data, { families: names, criterion, psi0: 0.5 }).pair.family).toBe('independence');
    }
  });

  it('leaves out families that τ does not determine, and says so where one is asked for', () => {
    const data = drawn('clayton', 0, [2], 500);
    const fit = selectPair(data, { families: ['bb1', 'clayton'], criterion: 'aic', method: 'itau' });
    expect(fit.pair.family).toBe('clayton');
    expect(fit.pair.tau()).toBeCloseTo(kendallTau(data.u, data.v), 10);
    expect(() => fitPair(data, 'bb7', { method: 'itau' })).toThrow('bb7 has two parameters, and τ gives only one');
  });

  it('survives comonotone data, a constant margin and three rows', () => {
    const line = Float64Array.from({ length: 300 }, (_, i) => (i + 1) / 301);
    const flat = new Float64Array(300).fill(0.5);
    const three = Float64Array.of(0.25, 0.5, 0.75);
    for (const [a, b] of [
      [line, line],
      [line, line.toReversed()],
      [line, flat],
      [three, three],
    ] as const) {
      const fit = selectPair(
        { u: a, v: b, uBelow: null, vBelow: null },
        { families: [...names, 'tll'], criterion: 'aic' },
      );
      expect(Number.isFinite(fit.logLikelihood)).toBe(true);
      expect(fit.pair.tau() * Math.sign(kendallTau(a, b) || 0)).toBeGreaterThanOrEqual(0);
    }
  });
});

describe('traps', () => {
  it('h-functions have no floor: they go on falling where the margin goes to 0', () => {
    for (const name of dependent) {
      const pair = makePair(name, 0, moderate(name));
      const values = [1e-4, 1e-5, 1e-6, 1e-7].map((v) => pair.h1(0.5, v));
      values.slice(1).forEach((value, i) => {
        expect(value, name).toBeLessThan(0.2 * values[i]!);
        expect(value).toBeGreaterThan(0);
      });
    }
  });

  it('families near independence have h(u, v) = v and its inverse', () => {
    const near: [string, number[]][] = [
      ['clayton', [1e-10]],
      ['gumbel', [1 + 1e-10]],
      ['frank', [1e-10]],
      ['joe', [1 + 1e-10]],
      ['bb1', [1e-6, 1]],
      ['bb6', [1, 1]],
      ['bb8', [1, 1e-4]],
    ];
    for (const [name, parameters] of near) {
      const pair = makePair(name, 0, parameters);
      for (const u of [1e-6, 0.3, 0.999]) {
        for (const v of [1e-6, 0.2, 0.7, 0.99999]) {
          expect(Math.abs(pair.h1(u, v) - v), name).toBeLessThan(2e-5);
          expect(Math.abs(pair.inverseH1(u, v) - v), name).toBeLessThan(2e-5);
          expect(Math.abs(pair.logDensity(u, v)), name).toBeLessThan(2e-4);
        }
      }
    }
  });
});

describe('the registry', () => {
  it('says what is wrong with a request', () => {
    expect(() => makePair('clayto', 0, [1])).toThrow("there is no pair copula 'clayto'");
    expect(() => makePair('frank', 90, [1])).toThrow('frank has the rotations 0, not 90');
    expect(() => makePair('bb1', 0, [1])).toThrow('bb1 has 2 parameters, not 1');
    expect(() => makePair('clayton', 0, [-1])).toThrow('parameter 1 of clayton lies in 1e-10 … 28, not at -1');
    expect(() => restorePair({ family: 'tll', rotation: 0, parameters: [] })).toThrow('needs its grid');
  });
});
