import { describe, expect, it } from 'vitest';
import { uploadReplySchema } from '../../../packages/contract/replies.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { tableReport } from '../../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { appointments, drawn, KEYS } from '../../support/appointments.ts';
import { bytesOf } from '../../support/bytes.ts';

const csvOf = (header: string, rows: readonly (string | number)[][]): string =>
  `${[header, ...rows.map((row) => row.join(','))].join('\n')}\n`;
const profileOf = (csv: string) => profileUpload(bytesOf(csv), 'table.csv');
const appointmentsCsv = (rows: number, visits: number, keyOf: (typeof KEYS)[string]): string =>
  csvOf(
    'a,b,c,d',
    appointments(rows, visits, keyOf).map(({ key, sex, age, place }) => [key, sex, age, place]),
  );

async function keyNames(csv: string): Promise<string[]> {
  const { columns } = await profileOf(csv);
  return columns.flatMap(({ name, key }) => (key ? [name] : []));
}

describe('keys that repeat, under names that say nothing', () => {
  it.each(Object.entries(KEYS))('are known by their values: %s', async (_, keyOf) => {
    expect(await keyNames(appointmentsCsv(400, 2, keyOf))).toEqual(['a']);
    expect(await keyNames(appointmentsCsv(400, 6, keyOf))).toEqual(['a']);
    expect(await keyNames(appointmentsCsv(3000, 6, keyOf))).toEqual(['a']);
  });

  it('are known by the rows that belong together, where they are short running numbers', async () => {
    const customer = (person: number) => String(12_346 + 3 * person);
    expect(await keyNames(appointmentsCsv(3000, 6, customer))).toEqual(['a']);
    const apart = appointments(3000, 6, customer).map(({ key }, i) => [key, i % 2 ? 'F' : 'M', i % 89, i % 41]);
    expect(await keyNames(csvOf('a,b,c,d', apart))).toEqual([]);
  });

  it('are reported with their number, the number of rows and the reasons', async () => {
    const profile = await profileOf(appointmentsCsv(400, 2, KEYS['whole numbers, of which a few have decimals']!));
    const {
      col_types,
      warnings,
      profile: reported,
    } = uploadReplySchema.parse({ job_id: 'x', ...tableReport(profile) });
    const [column, other] = reported.columns;
    expect(col_types.a).toBe('identifier');
    expect(column).toMatchObject({
      suggested_role: 'categorical',
      key: { kind: 'repeated', rows: 400 },
      distinct: column?.key?.keys,
    });
    expect(column?.evidence.join()).toContain(`${column?.key?.keys} keys in 400 cells`);
    expect(warnings.join()).toContain('Column "a" has keys that repeat');
    expect(other).not.toHaveProperty('key');
  });

  it('are told from keys that stand once each', async () => {
    const rows = Array.from({ length: 60 }, (_, i) => [i + 1, i % 7]);
    const { columns } = await profileOf(csvOf('a,b', rows));
    expect(columns[0]?.key).toEqual({ kind: 'unique', keys: 60, rows: 60 });
  });
});

describe('keys by their names', () => {
  const random = createStream(4, 'names');
  const player = () => `${drawn('abcdefghijklm', 7, random)}0${1 + random.integer(2)}`;
  const players = Array.from({ length: 150 }, player);

  it.each(['playerID', 'customer_no', 'Account Number'])('are codes that repeat under the name %s', async (name) => {
    const rows = Array.from({ length: 900 }, (_, i) => [players[(i * 7) % 150]!, i % 11]);
    expect(await keyNames(csvOf(`${name},b`, rows))).toEqual([name]);
  });

  it('need rows that belong together where they are few', async () => {
    const few = appointments(400, 6, (person) => String(person + 1));
    expect(
      await keyNames(
        csvOf(
          'patient_id,b,c',
          few.map(({ key, sex, place }) => [key, sex, place]),
        ),
      ),
    ).toEqual(['patient_id']);
    expect(
      await keyNames(
        csvOf(
          'patient_id,b,c',
          few.map(({ key }, i) => [key, i % 2, i % 39]),
        ),
      ),
    ).toEqual([]);
  });

  it('are no years, places or kinds', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => [
      1850 + ((i * 7) % 150),
      10_000 + ((i * 7919) % 400) * 17,
      i % 12,
    ]);
    expect(await keyNames(csvOf('yearID,zip,kind_id', rows))).toEqual([]);
  });
});

describe('columns that are no keys', () => {
  const random = createStream(9, 'quantities');
  const normal = () => random.normal();
  const day = (i: number) => (i * 7919) % 500;
  const weather = Array.from({ length: 1400 }, () => (15 + 8 * normal()).toFixed(2));
  const QUANTITIES: Record<string, (i: number) => string | number> = {
    income: () => Math.round(Math.exp(10.5 + 0.6 * normal())),
    'income in hundreds': () => Math.round(Math.exp(10.5 + 0.6 * normal()) / 100) * 100,
    'sales in millions, not rounded': () => Math.round(Math.exp(18 + 1.5 * normal())),
    'budgets, mostly none': (i) => (i % 3 ? 0 : Math.round(Math.exp(18 + normal()))),
    year: () => 1900 + random.integer(120),
    age: () => 18 + random.integer(72),
    count: () => Math.floor(Math.exp(2 + normal())),
    'minute of a day': () => random.integer(1440),
    'day of a study': day,
    'day of a long study': (i) => (i * 7919) % 1400,
    'weekday of that': (i) => ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'][((i * 7919) % 1400) % 7]!,
    'temperature of that': (i) => weather[(i * 7919) % 1400]!,
    weekday: (i) => ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'][day(i) % 7]!,
    'day since 1900': (i) => 44_000 + day(i),
    'second since 1970': (i) => 1_600_000_000 + 86_400 * day(i),
    'year and week': () => `${2019 + random.integer(5)}${10 + random.integer(40)}`,
    'postcode with few levels': () => 1000 + 37 * random.integer(60),
    price: () => (random.integer(40_000) / 100).toFixed(2),
    'diagnosis, three places': () => `${'EFIJ'[random.integer(4)]}${10 + random.integer(30)}.${random.integer(4)}`,
    'size in codes': () => `S${10 + random.integer(30)}`,
  };

  it.each([3000, 12_000])('quantities, times, places and codes of kinds, in %s rows', async (count) => {
    const names = Object.keys(QUANTITIES);
    const rows = Array.from({ length: count }, (_, i) => names.map((name) => QUANTITIES[name]!(i)));
    expect(await keyNames(csvOf(names.map((name) => `"${name}"`).join(','), rows))).toEqual([]);
  });

  it('a weight that rows of like people share', async () => {
    const strata = Array.from({ length: 2500 }, () => Math.round(Math.exp(12 + 0.5 * normal())));
    const rows = Array.from({ length: 5000 }, () => {
      const stratum = random.integer(2500);
      return [strata[stratum]!, stratum % 2 ? 'F' : 'M', stratum % 5];
    });
    expect(await keyNames(csvOf('a,b,c', rows))).toEqual([]);
  });
});
