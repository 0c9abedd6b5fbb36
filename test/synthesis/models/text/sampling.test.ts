import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import {
  type CharacterTrie,
  childFinder,
  probabilitiesByOrder,
} from '../../../../packages/synthesis/models/text/characterTrie.ts';
import {
  chooseMixture,
  createMixer,
  createMixtureJudge,
  tokenTrie,
} from '../../../../packages/synthesis/models/text/mixture.ts';
import { sampleToken } from '../../../../packages/synthesis/models/text/sampleToken.ts';

const anything = (): boolean => true;

describe('sampleToken', () => {
  it('draws END as often as it is likely, and others from the nucleus alone', () => {
    const random = createStream(1, 'tokens');
    const counts = [0, 0, 0, 0];
    const draws = 20_000;
    for (let k = 0; k < draws; k++) {
      counts[sampleToken(Float32Array.of(0.02, 0.5, 0.45, 0.03), 0.9, random, anything)]! += 1;
    }
    // 0.02 n draws of END: five standard deviations are 0.005 n.
    expect(Math.abs(counts[0]! / draws - 0.02)).toBeLessThan(0.005);
    expect(counts[3]).toBe(0);
    expect(Math.abs(counts[1]! / counts[2]! - 0.5 / 0.45)).toBeLessThan(0.1);
  });

  it('draws nothing that may not follow, and END where nothing may', () => {
    const random = createStream(2, 'tokens');
    for (let k = 0; k < 200; k++) {
      expect(sampleToken(Float32Array.of(0.5, 0.4, 0.1), 0.5, random, (token) => token === 2)).toBe(2);
    }
    expect(sampleToken(Float32Array.of(0.5, 0.5), 0.95, random, () => false)).toBe(0);
  });

  it('draws the rest of the nucleus as often as it is likely where others may not follow, and what is behind it last', () => {
    const random = createStream(4, 'refused');
    const drawn = (mayFollow: (token: number) => boolean): number[] => {
      const counts = [0, 0, 0, 0, 0];
      for (let k = 0; k < 20_000; k++) {
        counts[sampleToken(Float32Array.of(0, 0.5, 0.2, 0.25, 0.05), 0.9, random, mayFollow)]! += 1;
      }
      return counts;
    };
    const [, one, two, three, four] = drawn((token) => token !== 1);
    expect([one, four]).toEqual([0, 0]);
    expect(Math.abs(two! / three! - 0.2 / 0.25)).toBeLessThan(0.06);
    expect(drawn((token) => token === 4)).toEqual([0, 0, 0, 0, 20_000]);
  });

  it.each([
    ['few', 12, 1, 0.9],
    ['many, some as likely as others', 400, 3, 0.7],
    ['nearly alike', 500, 1e-3, 0.95],
    ['far apart', 300, 30, 0.95],
    ['and all of them', 50, 2, 1],
  ])('draws from the same nucleus as sorting finds: %s', (_, size, spread, nucleus) => {
    const random = createStream(3, 'nucleus');
    const logits = Float64Array.from({ length: size }, () => spread * Math.round(4 * random.normal()));
    const most = Math.max(...logits);
    const weights = Float32Array.from(logits, (logit) => Math.exp(logit - most));
    weights[0] = 0;
    const total = weights.reduce((a, b) => a + b, 0);
    const inNucleus = new Map<number, number>();
    let mass = 0;
    for (const k of [...weights.keys()].sort((a, b) => weights[b]! - weights[a]! || a - b)) {
      if (mass < nucleus * total && weights[k]! > 0) inNucleus.set(k, weights[k]!);
      mass += weights[k]!;
    }
    const counts = new Map<number, number>();
    const draws = 20_000;
    for (let i = 0; i < draws; i++) {
      const token = sampleToken(weights.slice(), nucleus, random, anything);
      counts.set(token, (counts.get(token) ?? 0) + 1);
    }
    expect([...counts.keys()].filter((token) => !inNucleus.has(token))).toEqual([]);
    const share = [...inNucleus.values()].reduce((a, b) => a + b, 0);
    for (const [token, weight] of inNucleus) {
      const expected = (draws * weight) / share;
      // Six standard deviations of a count.
      expect(Math.abs((counts.get(token) ?? 0) - expected)).toBeLessThan(6 * Math.sqrt(expected) + 6);
    }
  });
});

describe('the mixture with an n-gram', () => {
  const texts = Array.from({ length: 30 }, (_, k) => Int32Array.from({ length: 12 }, (_, at) => 1 + ((k + at) % 5)));
  const trie = tokenTrie(texts.slice(5), 8);
  const held = texts.slice(0, 5);
  const uniform = held.map((text) => new Float64Array(text.length + 1).fill(-Math.log(8)));

  it('leans on the n-gram where that knows more, and saves what the judge says', () => {
    const { mixture, nats } = chooseMixture(trie, held, uniform);
    expect(Math.max(...mixture!.shares)).toBeGreaterThan(0.8);
    const judge = createMixtureJudge(mixture!);
    expect(held.reduce((sum, text, k) => sum + judge(text, uniform[k]!), 0)).toBeCloseTo(nats, 8);
    expect(nats).toBeLessThan(held.length * 13 * Math.log(8));
  });

  it('is left out where the network knows as much', () => {
    const sure = held.map((text) => new Float64Array(text.length + 1).fill(-1e-6));
    expect(chooseMixture(trie, held, sure).mixture).toBeNull();
  });

  it('knows of no run that fewer than five owners have, and of each other how often it stands there', () => {
    const random = createStream(5, 'runs');
    const own = Array.from({ length: 60 }, () => Int32Array.from({ length: 9 }, () => 1 + random.integer(3)));
    const owners = own.map((_, row) => (row < 20 ? 0 : row));
    const common = tokenTrie(own, 4, owners);
    expect(ngramsOf(common)).toEqual(commonNgrams(own, owners, 4, common.order));
    expect(ngramsOf(common).size).toBeGreaterThan(50);
    expect(ngramsOf(tokenTrie(own, 4)).size).toBeGreaterThan(ngramsOf(common).size);
    expect(chooseMixture(tokenTrie(own.slice(0, 4), 4), [own[5]!], [new Float64Array(10).fill(-1)])).toEqual({
      mixture: null,
      nats: 10,
    });
  });

  it('mixes distributions that sum to one, of which the n-gram is that of Witten and Bell', () => {
    const mixer = createMixer({ trie, shares: new Array(trie.order + 1).fill(1) });
    const history = Int32Array.from([trie.kinds, ...texts[7]!]);
    for (const length of [1, 4, 12]) {
      const mixed = new Float64Array(8).fill(1 / 8);
      mixer(mixed, history, length);
      expect(mixed.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
      const childOf = childFinder(trie);
      mixed.forEach((p, symbol) => {
        expect(p).toBeCloseTo(probabilitiesByOrder(trie, childOf, history, length, symbol)[trie.order]!, 12);
      });
    }
  });
});

/** Each context with what follows it, oldest first, and how often. */
function ngramsOf(trie: CharacterTrie): Map<string, number> {
  const out = new Map<string, number>();
  trie.parent.forEach((_, node) => {
    const ofNode: number[] = [];
    for (let at = node; at > 0; at = trie.parent[at]!) ofNode.push(trie.oldest[at]!);
    for (let entry = trie.from[node]!; entry < trie.from[node + 1]!; entry++) {
      const before = entry > trie.from[node]! ? trie.cumulative[entry - 1]! : 0;
      out.set(`${ofNode} ${trie.symbol[entry]}`, trie.cumulative[entry]! - before);
    }
  });
  return out;
}

/** The same by a map of every run. */
function commonNgrams(texts: readonly Int32Array[], owners: readonly number[], kinds: number, order: number) {
  const [counts, whose] = [new Map<string, number>(), new Map<string, Set<number>>()];
  texts.forEach((text, row) => {
    const whole = [kinds, ...text, 0];
    for (let at = 1; at < whole.length; at++) {
      for (let length = 0; length <= Math.min(order, at); length++) {
        const key = `${whole.slice(at - length, at)} ${whole[at]}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        whose.set(key, (whose.get(key) ?? new Set()).add(owners[row]!));
      }
    }
  });
  return new Map([...counts].filter(([key]) => whose.get(key)!.size >= 5));
}
