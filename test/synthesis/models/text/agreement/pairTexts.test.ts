import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../../packages/numerics/random/createStream.ts';
import {
  agreementSchema,
  featuresOf,
  fitAgreement,
} from '../../../../../packages/synthesis/models/text/agreement/fitAgreement.ts';
import {
  fitRidge,
  labelValues,
  standardised,
} from '../../../../../packages/synthesis/models/text/agreement/hashWords.ts';
import { pairTexts } from '../../../../../packages/synthesis/models/text/agreement/pairTexts.ts';
import { fitForm } from '../../../../../packages/synthesis/models/text/rowSequences.ts';
import { category, numeric, silent, tableOf, text } from '../../tables.ts';

const ROWS = 400;
const random = createStream(7, 'pairs');
const pick = (words: readonly string[]): string => words[random.integer(words.length)]!;
const CITIES = ['Rome', 'Oslo', 'Lima', 'Cairo'];

/** Praise goes with stars three times out of four, the city always; good rooms are written about at length. */
function madeRows(): { cities: string[]; stars: number[]; texts: string[] } {
  const stars = Array.from({ length: ROWS }, () => 1 + random.integer(5));
  const cities = stars.map(() => pick(CITIES));
  const texts = stars.map((own, row) => {
    const isGood = random.uniform() < 0.75 ? own > 3 : own <= 3;
    const words = isGood ? ['lovely', 'great', 'superb'] : ['dirty', 'awful', 'noisy'];
    const rest = Array.from({ length: 1 + 2 * own }, () => pick(['bed', 'pool', 'view', 'garden', 'bath']));
    return `In ${cities[row]}: ${pick(words)} room, ${pick(words)} staff, ${rest.join(' and ')}`;
  });
  return { cities, stars, texts };
}

const { cities, stars, texts } = madeRows();
const TABLE = tableOf(category('city', cities), numeric('stars', stars), text('review', texts));
const learn = () => {
  const { conditions } = fitForm(TABLE, ['city', 'stars'], ['review']);
  return fitAgreement(TABLE, conditions, texts, createStream(1, 'agreement'), silent);
};
const pair = async (of: readonly string[]): Promise<string[]> => {
  const place = await pairTexts(await learn(), TABLE, of, createStream(2, 'pair'), silent);
  return Array.from(place, (from) => of[from]!);
};
const shuffled = (of: readonly string[]): string[] => {
  const out = [...of];
  for (let k = out.length - 1; k > 0; k--) {
    const other = random.integer(k + 1);
    [out[k], out[other]] = [out[other]!, out[k]!];
  }
  return out;
};
const standard = (values: readonly number[]): Float32Array => standardised(Float32Array.from(values));
const praise = (own: readonly string[]): Float32Array =>
  standard(own.map((one) => Number(/lovely|great|superb/.test(one))));
const withStars = (statistic: Float32Array): number =>
  standard(stars).reduce((sum, own, row) => sum + (own * statistic[row]!) / ROWS, 0);
const lengths = (own: readonly string[]): Float32Array => standard(own.map((one) => Math.log1p(one.length)));
const sameCity = (own: readonly string[]): number =>
  own.filter((one, row) => one.includes(cities[row]!)).length / own.length;

describe('texts that have lost their rows', () => {
  it('find rows that they go with, as closely as real ones and no closer', async () => {
    const lost = shuffled(texts);
    expect(Math.abs(withStars(praise(lost)))).toBeLessThan(0.15);
    const found = await pair(lost);
    expect(found.toSorted()).toEqual(lost.toSorted());
    // Standard error of a correlation of 400 rows: 0.05.
    expect(Math.abs(withStars(praise(found)) - withStars(praise(texts)))).toBeLessThan(0.12);
    expect(Math.abs(withStars(lengths(found)) - withStars(lengths(texts)))).toBeLessThan(0.12);
    expect(sameCity(lost)).toBeLessThan(0.4);
    expect(sameCity(found)).toBeGreaterThan(0.85);
  });

  it('teach a reader what real ones teach it', async () => {
    const { places, readers, penalty } = await learn();
    const ofStars = readers.find(({ label }) => label.column === 'stars')!;
    const coefficientsOf = (own: readonly string[]): Float32Array =>
      fitRidge(featuresOf(own, places), places.length + 1, labelValues(ofStars.label, TABLE), penalty * ROWS);
    const distance = (own: readonly string[]): number =>
      Math.hypot(...coefficientsOf(own).map((b, k) => b - ofStars.coefficients[k]!));
    expect(distance(texts)).toBeLessThan(0.01);
    const lost = shuffled(texts);
    expect(distance(await pair(lost))).toBeLessThan(0.25 * distance(lost));
  });

  it('stay with rows of their kind where that is enough', async () => {
    const byCity = new Map(CITIES.map((city) => [city, shuffled(texts.filter((_, row) => cities[row] === city))]));
    const within = cities.map((city) => byCity.get(city)!.pop()!);
    const found = await pair(within);
    expect(sameCity(found)).toBeGreaterThan(0.97);
    expect(withStars(praise(found))).toBeGreaterThan(withStars(praise(within)) + 0.2);
  });

  it('are loosened where they follow their rows more closely than real ones', async () => {
    const closer = stars.map((own, row) => `In ${cities[row]}: ${own > 3 ? 'lovely' : 'dirty'} ${'bed '.repeat(own)}`);
    const found = await pair(closer);
    expect(withStars(praise(found))).toBeLessThan(withStars(praise(closer)) - 0.1);
    expect(withStars(praise(found))).toBeGreaterThan(withStars(praise(texts)) - 0.15);
  });

  it('go from rows that lack a level to rows that have one, and back', async () => {
    // Who praises gives no reason: the reason is missing beside three quarters of the rows of many stars.
    const reasons = stars.map((own, row) => (own > 3 ? null : ['price', 'noise'][row % 2]!));
    const table = tableOf(category('reason', reasons), numeric('stars', stars), text('review', texts));
    const { conditions } = fitForm(table, ['reason', 'stars'], ['review']);
    const agreement = await fitAgreement(table, conditions, texts, createStream(1, 'agreement'), silent);
    const lost = shuffled(texts);
    const place = await pairTexts(agreement, table, lost, createStream(2, 'pair'), silent);
    const found = Array.from(place, (from) => lost[from]!);
    expect(Math.abs(withStars(praise(lost)))).toBeLessThan(0.15);
    expect(withStars(praise(found))).toBeGreaterThan(withStars(praise(texts)) - 0.1);
  });

  it('keep their level where it is too rare for a reader', async () => {
    const rare = cities.map((city, row) => (row % 100 === 0 ? 'Ulan Bator' : city));
    const table = tableOf(category('city', rare), numeric('stars', stars), text('review', texts));
    const lost = shuffled(texts).map((one, row) => (row % 100 === 0 ? 'In Ulan Bator: lovely yurt' : one));
    const place = await pairTexts(await learn(), table, lost, createStream(2, 'pair'), silent);
    for (let row = 0; row < ROWS; row += 100) expect(lost[place[row]!]).toContain('Ulan Bator');
  });
});

describe('readers', () => {
  it('are kept for what texts tell of, and come back as they were saved', async () => {
    const agreement = await learn();
    expect(agreement.kind).toBe('city');
    const columns = new Set(agreement.readers.map(({ label }) => label.column));
    expect(columns).toEqual(new Set(['city', 'stars']));
    expect(agreementSchema.parse(JSON.parse(JSON.stringify(agreementSchema.encode(agreement))))).toEqual(agreement);
  });

  it('are none where texts tell nothing of their rows, or there are few', async () => {
    const { conditions } = fitForm(TABLE, ['city', 'stars'], ['review']);
    const of = (own: readonly string[]) => fitAgreement(TABLE, conditions, own, createStream(1, 'none'), silent);
    expect((await of(shuffled(texts.map((one) => one.split(' ')[2]!)))).readers).toEqual([]);
    expect((await of(texts.map((one, row) => (row < 40 ? one : '')))).readers).toEqual([]);
  });
});
