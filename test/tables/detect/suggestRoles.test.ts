import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';
import { suggestRoles } from '../../../packages/tables/detect/suggestRoles.ts';
import type { Profile } from '../../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../support/bytes.ts';
import { describeShared } from '../../support/shared.ts';

type Cells = Record<string, string | number>;

/** A table of as many rows as are made. */
function profileOf(rows: number, make: (random: RandomStream, row: number) => Cells): Promise<Profile> {
  const random = createStream(5, 'suggested');
  const made = Array.from({ length: rows }, (_, row) => make(random, row));
  const lines = made.map((cells) => Object.values(cells).join(','));
  return profileUpload(bytesOf(`${Object.keys(made[0] ?? {}).join(',')}\n${lines.join('\n')}\n`), 'made.csv');
}

const exponential = (random: RandomStream, mean: number) => -mean * Math.log(random.uniform());
const pick = <T>(items: readonly T[], random: RandomStream): T => items[random.integer(items.length)]!;
const cents = (value: number) => value.toFixed(2);
const targetOf = ({ columns }: Profile) => columns.find(({ suggested_role }) => suggested_role === 'target')?.name;

describe('the suggested target', () => {
  it('is the number that the others explain best, the last one where two are alike', async () => {
    const found = await profileOf(300, (random) => {
      const x = random.normal();
      return {
        noise: cents(random.normal()),
        a: cents(x),
        b: cents(x + random.normal()),
        c: cents(x + random.normal()),
      };
    });
    expect(found.suggested_target).toEqual({
      column: 'c',
      reason: 'picked because of its position; the other columns explain about 40 % of its variation',
    });
    expect(targetOf(found)).toBe('c');
  });

  it.each(['Price', 'median_house_value', 'totalKosten', 'skadkost', 'Monthly Income', 'precio_m2'])(
    'is a number named %s before a later one',
    async (name) => {
      const found = await profileOf(200, (random) => {
        const x = random.normal();
        return { group: pick('ab'.split(''), random), [name]: cents(50 + x), later: cents(x + random.normal()) };
      });
      expect(found.suggested_target?.column).toBe(name);
      expect(found.suggested_target?.reason).toMatch(/^picked because of its name/);
    },
  );

  it('is a fare or a total of taxi rides, no time, count or coordinate of them', async () => {
    const found = await profileOf(400, (random, row) => {
      const miles = exponential(random, 3);
      const [fare, tip] = [2.5 + 2.4 * miles + random.normal() / 4, exponential(random, 2)];
      return {
        pickup: new Date(1.5e12 + 7e6 * row).toISOString(),
        passengers: 1 + Math.floor(exponential(random, 0.8)),
        distance: cents(miles),
        fare: cents(fare),
        tip: cents(tip),
        total: cents(fare + tip),
        payment: pick(['cash', 'card'], random),
        lat: (40.7 + random.normal() / 30).toFixed(5),
        lng: (-74 + random.normal() / 30).toFixed(5),
      };
    });
    expect(['fare', 'total']).toContain(found.suggested_target?.column);
  });

  it('is an age and no small count, flag or key of appointments', async () => {
    const found = await profileOf(600, (random, row) => {
      const age = Math.floor(95 * random.uniform());
      const ill = random.uniform() < age / 150;
      return {
        AppointmentID: 5_642_903 + row,
        Gender: pick(['F', 'M'], random),
        Age: age,
        Neighbourhood: pick(['Centro', 'Jardim', 'Maria'], random),
        Hipertension: Number(ill),
        Diabetes: Number(ill && random.uniform() < 0.3),
        Handcap: Math.floor(exponential(random, 0.3)),
        'No-show': pick(['Yes', 'No', 'No'], random),
      };
    });
    expect(found.suggested_target?.column).toBe('Age');
    expect(found.columns[0]).toMatchObject({ kind: 'identifier', suggested_role: 'categorical' });
  });

  it.each<[string, (random: RandomStream, row: number) => Cells]>([
    ['categories alone', (random) => ({ a: pick(['x', 'y'], random), b: pick(['p', 'q', 'r'], random) })],
    [
      'years and places',
      (random, row) => ({ year: 1900 + (row % 120), lat: cents(9 * random.normal()), town: `t${row % 7}` }),
    ],
    ['numbers that say nothing of each other', (random) => ({ a: cents(random.normal()), b: cents(random.normal()) })],
  ])('is none among %s', async (_, make) => {
    const found = await profileOf(200, make);
    expect(found.suggested_target).toBeNull();
    expect(targetOf(found)).toBeUndefined();
  });

  it('is no copy, logarithm or label of another column, and none that is mostly missing', async () => {
    const found = await profileOf(300, (random) => {
      const staff = 5 + Math.floor(exponential(random, 400));
      const grade = pick(['low', 'middle', 'high'], random);
      return {
        rate: cents(40 + 9 * Math.log(staff) + 8 * random.normal()),
        staff,
        grade,
        pay: { low: 1.5, middle: 2.5, high: 4.25 }[grade] ?? 0,
        bonus: random.uniform() < 0.5 ? '' : cents(staff / 9),
        'log staff': Math.log(staff).toFixed(6),
      };
    });
    expect(found.suggested_target?.column).toBe('rate');
  });

  it('is the same at every reading, and takes less than half a second of CPU among 120 columns', async () => {
    const wide = await profileOf(2000, (random, row) => {
      const x = random.normal();
      return Object.fromEntries(
        Array.from({ length: 120 }, (_, i) => [`c${i}`, i % 9 ? cents(x + i * random.normal()) : `l${row % 7}`]),
      );
    });
    const { columns, rows, sample, relations } = wide;
    const plain = columns.map((each) =>
      each.suggested_role === 'target' ? { ...each, suggested_role: 'continuous' as const } : each,
    );
    const start = process.cpuUsage();
    const again = suggestRoles(plain, rows, sample.cells, relations);
    const { user, system } = process.cpuUsage(start);
    expect(again).toEqual({ columns, target: wide.suggested_target });
    expect((user + system) / 1e6).toBeLessThan(0.5);
  });
});

describe('whole numbers that are codes', () => {
  const LEVELS = 13;
  const shops = (random: RandomStream) => {
    const stream = createStream(2, 'shops');
    const effects = Array.from({ length: LEVELS }, () => stream.normal());
    const weights = Array.from({ length: LEVELS }, () => Math.exp(stream.normal()));
    let left = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
    const code = weights.findIndex((weight) => {
      left -= weight;
      return left <= 0;
    });
    const siblings = Math.floor(exponential(random, 2));
    const bedrooms = Math.max(1, Math.min(12, Math.round(5 + 2 * random.normal())));
    const y = (effects[code] ?? 0) + 0.2 * siblings + 0.2 * bedrooms + random.normal();
    return { code, siblings, bedrooms, hour: Math.floor(24 * random.uniform()), y };
  };

  it('are categories where their order tells nothing of the others, and are said to be', async () => {
    const found = await profileOf(1500, (random) => {
      const { code, siblings, bedrooms, hour, y } = shops(random);
      return { place: code + 1, siblings, bedrooms, hour, y: cents(y), sold: y > 1 ? 'yes' : 'no' };
    });
    const roles = Object.fromEntries(found.columns.map(({ name, suggested_role }) => [name, suggested_role]));
    expect(roles).toEqual({
      place: 'categorical',
      siblings: 'continuous',
      bedrooms: 'continuous',
      hour: 'continuous',
      y: 'target',
      sold: 'categorical',
    });
    expect(found.columns[0]).toMatchObject({
      kind: 'continuous',
      evidence: [
        expect.stringMatching(/^13 whole numbers that look like codes: their order says nothing/),
        expect.any(String),
      ],
    });
  });

  it('stay numbers where no column says anything of them, unless their name is that of codes', async () => {
    const found = await profileOf(600, (random) => ({
      nights: 1 + ((7 * random.integer(20)) % 20),
      trafficType: 1 + random.integer(20),
      x: cents(random.normal()),
    }));
    expect(found.columns.slice(0, 2).map(({ suggested_role }) => suggested_role)).toEqual([
      'continuous',
      'categorical',
    ]);
  });
});

describeShared('suggested targets of real tables', (dir) => {
  it.each([
    ['titanic', 'Fare'],
    ['penguins', 'body_mass_g'],
    ['k401k', 'prate'],
    ['coffee_reviews', 'rating'],
    ['wine_reviews_au', 'price'],
    ['nmes1988', 'income'],
    ['airline_tweets', undefined],
  ])('%s: %s, and no count is a code', async (table, target) => {
    const found = await profileUpload(bytesOf(readFileSync(join(dir, 'data', `${table}.csv`)), 65_536), `${table}.csv`);
    expect(found.suggested_target?.column).toBe(target);
    expect(found.columns.filter(({ evidence }) => evidence[0]?.includes('codes: their'))).toEqual([]);
  });
});
