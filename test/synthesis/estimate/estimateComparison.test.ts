import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AWS_PRICES } from '../../../adapters/aws/openAws.ts';
import { sharedFile } from '../../../bench/support/sharedTables.ts';
import type { Estimate } from '../../../packages/contract/replies.ts';
import { type GenerateRequestBody, generateRequestSchema } from '../../../packages/contract/requests.ts';
import { type ComparedRows, estimateComparison } from '../../../packages/synthesis/estimate/estimateComparison.ts';
import type { Place } from '../../../packages/synthesis/estimate/takes.ts';
import type { Profile } from '../../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../support/bytes.ts';
import { describeShared } from '../../support/shared.ts';
import { housesCsv } from '../../support/tables.ts';

type Asked = Partial<GenerateRequestBody>;

const ROLES: Asked = { target_col: 'price', continuous_cols: ['area', 'rooms'], categorical_cols: ['city'] };
const profiled = (csv: string | Uint8Array) => profileUpload(bytesOf(csv), 'table.csv');
const profile = await profiled(housesCsv(800));
const estimate = (rows: ComparedRows, asked: Asked = {}, of: Profile = profile, place: Place = {}): Estimate =>
  estimateComparison(of, generateRequestSchema.parse({ job_id: 'a', ...ROLES, ...asked }), rows, place);
const cpuOf = (...given: Parameters<typeof estimate>): number => estimate(...given).cpu_seconds.expected;

const ROWS = { synthetic: 800, holdout: 800 };

describe('the estimate of a comparison', () => {
  it('has its stages alone, which add up to the whole, and no cheaper plan', () => {
    const { stages, cpu_seconds, cheaper, cost } = estimate(ROWS, { text_cols: ['note'] });
    expect(stages.map(({ stage }) => stage)).toEqual(['start', 'metrics', 'write']);
    const sum = stages.reduce((total, own) => total + own.cpu_seconds, 0);
    // Each is rounded up to a tenth of a second.
    expect(Math.abs(sum - cpu_seconds.expected)).toBeLessThan(0.1 * (stages.length + 1));
    expect([cheaper, cost]).toEqual([null, null]);
  });

  it('grows with rows of any table, with columns and with texts, and not with what only models take', () => {
    expect(cpuOf({ ...ROWS, synthetic: 80_000 })).toBeGreaterThan(cpuOf(ROWS));
    expect(cpuOf({ ...ROWS, holdout: 80_000 })).toBeGreaterThan(cpuOf(ROWS));
    expect(cpuOf(ROWS, {}, { ...profile, rows: 80_000 })).toBeGreaterThan(cpuOf(ROWS));
    expect(cpuOf(ROWS, { continuous_cols: [] })).toBeLessThan(cpuOf(ROWS));
    expect(cpuOf(ROWS, { text_cols: ['note'] })).toBeGreaterThan(cpuOf(ROWS));
    expect(cpuOf({ ...ROWS, holdout: null })).toBeLessThan(cpuOf(ROWS));
    expect(cpuOf(ROWS, { draws: 10_000, tune: 10_000, n_samples: 500_000 })).toBe(cpuOf(ROWS));
  });

  it('is in the time of the machine, and has a cost where machines are rented', () => {
    const fast = estimate(ROWS, {}, profile, { machine: { cores: 8, speed: 2 }, prices: AWS_PRICES });
    expect(fast.seconds.expected / estimate(ROWS).seconds.expected).toBeCloseTo(0.5, 1);
    expect(fast.cost?.usd).toBeGreaterThan(0);
  });
});

/** CPU seconds of comparisons of parts of shared tables, and MB where they were measured (docs/measurements/0081 says how). */
const MEASURED: [name: string, rows: number, held: boolean, cpu: number, megabytes: number | null][] = [
  ['penguins', 114, true, 1.8, 236],
  ['penguins', 172, false, 1.9, null],
  ['california_housing', 6880, true, 8.7, 377],
  ['california_housing', 10_320, false, 8.7, null],
  ['diamonds', 17_980, true, 10.9, 419],
  ['diamonds', 26_970, false, 10.9, null],
  ['adult', 16_280, true, 18.5, 484],
  ['adult', 24_421, false, 18.3, null],
  ['oslo_airbnb', 3366, true, 7.1, null],
  ['airline_tweets', 4880, true, 5.3, 404],
];
const WITHIN = 0.25;

describeShared('the estimate of comparisons of shared tables', (dir) => {
  it.each(MEASURED)('is within a quarter of the CPU seconds of %s, %i rows each', async (name, rows, held, cpu, mb) => {
    const { path, fields } = sharedFile(join(dir, 'data'), name);
    const of = { ...(await profiled(readFileSync(path))), rows };
    const asked = { target_col: null, target: 'none' as const, ...fields };
    const found = estimate({ synthetic: rows, holdout: held ? rows : null }, asked, of);
    expect(Math.abs(found.cpu_seconds.expected / cpu - 1)).toBeLessThan(WITHIN);
    if (mb === null) return;
    expect(found.memory_mb).toBeGreaterThan(mb / 2);
    expect(found.memory_mb).toBeLessThan(2 * mb);
  });
});
