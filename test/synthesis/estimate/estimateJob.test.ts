import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AWS_PRICES } from '../../../adapters/aws/openAws.ts';
import { sharedFile } from '../../../bench/support/sharedTables.ts';
import type { Estimate, Stage } from '../../../packages/contract/replies.ts';
import { type GenerateRequestBody, generateRequestSchema } from '../../../packages/contract/requests.ts';
import { estimateJob, roughEstimate } from '../../../packages/synthesis/estimate/estimateJob.ts';
import { REFERENCE_MACHINE } from '../../../packages/synthesis/estimate/machine.ts';
import type { MachinePrice } from '../../../packages/synthesis/estimate/sizes.ts';
import type { Profile } from '../../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../support/bytes.ts';
import { describeShared } from '../../support/shared.ts';
import { housesCsv } from '../../support/tables.ts';

type Asked = Omit<GenerateRequestBody, 'job_id'>;

const HOUSES: Asked = {
  target_col: 'price',
  continuous_cols: ['area', 'rooms'],
  categorical_cols: ['city'],
  family: 'student_t',
};
const WITHOUT: Asked = { target_col: null, continuous_cols: [], categorical_cols: [] };
const profiled = (csv: string | Uint8Array) => profileUpload(bytesOf(csv), 'table.csv');
const profile = await profiled(housesCsv(800));

const estimate = (asked: Asked = {}, of: Profile = profile): Estimate =>
  estimateJob(of, generateRequestSchema.parse({ job_id: 'a', ...HOUSES, ...asked }));
const secondsOf = ({ stages }: Estimate, stage: Stage): number =>
  stages.find((own) => own.stage === stage)?.seconds ?? 0;

describe('the estimate of a job', () => {
  it('has a cost where machines are rented: a start of the machine and the time, by the queue that takes the job', () => {
    const request = (asked: Asked) => generateRequestSchema.parse({ job_id: 'a', ...HOUSES, ...asked });
    const own = estimateJob(profile, request({}));
    expect([own.cost, own.cheaper?.cost ?? null]).toEqual([null, null]);
    const machines: [Asked, MachinePrice][] = [
      [{ n_samples: 100_000, draws: 5000 }, AWS_PRICES.cpu],
      [{ text_cols: ['note'] }, AWS_PRICES.gpu],
    ];
    for (const [asked, { dollarsPerHour, startSeconds }] of machines) {
      const { seconds, cost, cheaper } = estimateJob(profile, request(asked), { prices: AWS_PRICES });
      const dollars = ((startSeconds + seconds.expected) / 3600) * dollarsPerHour + AWS_PRICES.requestDollars;
      expect(Math.abs((cost?.usd ?? 0) - dollars)).toBeLessThan(0.0002);
      expect(cost?.assumes).toContain('us-east-1');
      if (cheaper) expect(cheaper.cost?.usd).toBeLessThan(cost?.usd ?? 0);
    }
  });

  it('counts rows of entities by how many are asked for, and a regression of one row of each', async () => {
    const rows = Array.from({ length: 2400 }, (_, row) => `H${row >> 3},${row % 8},${row % 37},${(row * 7) % 101}`);
    const visits = await profiled(`house,visit,area,price\n${rows.join('\n')}\n`);
    const roles = { continuous_cols: ['visit', 'area'], categorical_cols: [], family: 'gaussian' as const };
    const of = (asked: Asked) => estimate({ ...roles, ...asked, entity_col: 'house', order_col: 'visit' }, visits);
    expect(secondsOf(of({}), 'sequences')).toBeGreaterThan(0);
    expect(of({}).stages.find(({ stage }) => stage === 'target')?.why).toContain('on 270 rows');
    expect(of({ target_col: null }).stages.map(({ stage }) => stage)).not.toContain('target');
    const written = (asked: Asked) => of(asked).stages.find(({ stage }) => stage === 'write')?.why;
    expect([written({ n_entities: 600 }), written({ n_samples: 4800 })]).toEqual(
      Array.from({ length: 2 }, () => '4,800 rows, and the report'),
    );
  });

  it('counts a regression for each level of a target of labels but the last, on the rows that come so far', async () => {
    const rows = Array.from({ length: 900 }, (_, row) => `${row % 53},${'abc'[row % 3]},${'ab'[row % 2]}`);
    const levels = await profiled(`size,three,two\n${rows.join('\n')}\n`);
    const targetOf = (target_col: string) => {
      const asked = { target_col, continuous_cols: ['size'], categorical_cols: [], family: 'auto' as const };
      return estimate(asked, levels).stages.find(({ stage }) => stage === 'target');
    };
    const [three, two] = [targetOf('three'), targetOf('two')];
    expect(three?.why).toContain('bernoulli regressions, one for each level but the last,');
    expect(two?.why).toContain('bernoulli regression of');
    // All rows, and the two thirds that have none of the first level.
    expect(three!.cpu_seconds / two!.cpu_seconds).toBeCloseTo(5 / 3, 0);
  });

  it('takes the sampler that was asked for', () => {
    const large = { ...profile, rows: 400_000 };
    const how = (sampler: Asked['sampler'], of = profile) =>
      estimate({ family: 'negative_binomial', sampler }, of).stages.find(({ stage }) => stage === 'target')?.why;
    expect(how('approximate')).toContain('importance sampling');
    expect(how('auto')).toContain('4 chains');
    expect(how('nuts', large)).toContain('4 chains');
    expect(how(undefined)).toBe(how('auto'));
  });

  it('takes next to nothing for zeros that one column settles', async () => {
    const claims = (row: number) => (row % 20 === 0 ? 1 + (row % 3) : 0);
    const rows = (settles: (row: number) => unknown) =>
      Array.from({ length: 4000 }, (_, row) => [claims(row) * (100 + row), settles(row), (7 * row) % 31].join());
    const fields: Asked = { target_col: 'cost', continuous_cols: ['claims', 'age'], family: 'hurdle_gamma' };
    const asked: Asked = { ...WITHOUT, ...fields, draws: 4000 };
    const secondsWhere = async (settles: (row: number) => unknown): Promise<number> => {
      const of = await profiled(['cost,claims,age', ...rows(settles), ''].join('\n'));
      return secondsOf(estimate(asked, of), 'target');
    };
    const [settled, open] = [await secondsWhere(claims), await secondsWhere((row) => claims(row) + Number(row === 1))];
    expect(settled).toBeLessThan(open / 2);
  });

  it('is known roughly at the start: memory by which a job is admitted, no less where the family is still to be chosen', () => {
    const rough = (asked: Asked = {}) =>
      roughEstimate(profile, generateRequestSchema.parse({ job_id: 'a', ...HOUSES, ...asked }), REFERENCE_MACHINE);
    const { memory_mb, seconds } = estimate();
    expect(rough()).toEqual({ memoryMb: memory_mb, seconds: seconds.expected });
    const auto = { family: 'auto' as const, n_samples: 500_000 };
    expect(rough(auto).memoryMb).toBeGreaterThanOrEqual(estimate(auto).memory_mb);
    expect(rough(auto).memoryMb).toBeLessThan(2 * estimate(auto).memory_mb);
    expect(rough(auto).seconds / estimate(auto).seconds.expected).toBeGreaterThan(0.5);
    expect(rough(auto).seconds / estimate(auto).seconds.expected).toBeLessThan(2);
  });

  it('is known roughly without a look at the values', () => {
    const request = generateRequestSchema.parse({ job_id: 'a', ...HOUSES, family: 'auto' });
    const blind = { ...profile, sample: { ...profile.sample, cells: [] } };
    expect(roughEstimate(blind, request, REFERENCE_MACHINE)).toEqual(
      roughEstimate(profile, request, REFERENCE_MACHINE),
    );
  });

  it('is in CPU seconds, which cores share where a stage lets them, and in time, which is less on more and on faster cores', () => {
    const request = generateRequestSchema.parse({ job_id: 'a', ...HOUSES, draws: 5000 });
    const on = (cores: number, speed = 1) => estimateJob(profile, request, { machine: { cores, speed } });
    const [one, two, eight] = [on(1), on(2), on(8)];
    expect(one.seconds.expected).toBe(one.cpu_seconds.expected);
    expect(two.cpu_seconds).toEqual(one.cpu_seconds);
    expect(two.seconds.expected).toBeLessThan(one.seconds.expected);
    // Four chains keep no more than four cores busy, and the rest of the job one.
    expect(eight.seconds).toEqual(on(4).seconds);
    expect(eight.seconds.expected).toBeGreaterThan(one.seconds.expected / 4);
    expect(on(2, 2).seconds.expected / two.seconds.expected).toBeCloseTo(0.5, 1);
    expect(on(2, 2).cpu_seconds.expected / two.cpu_seconds.expected).toBeCloseTo(0.5, 1);
  });

  it('has the stages that the job has, which add up to the whole', () => {
    const { stages, seconds } = estimate();
    expect(stages.map(({ stage }) => stage)).toEqual(['start', 'categories', 'numbers', 'target', 'metrics', 'write']);
    // Each is rounded up to a tenth of a second.
    const sum = stages.reduce((total, own) => total + own.seconds, 0);
    expect(Math.abs(sum - seconds.expected)).toBeLessThan(0.1 * (stages.length + 1));
    const textAlone = estimate({ target_col: null, continuous_cols: [], categorical_cols: [], text_cols: ['note'] });
    expect(textAlone.stages.map(({ stage }) => stage)).toEqual(['start', 'text', 'metrics', 'write']);
  });

  it('counts the warm-up that chains take, and no more', () => {
    expect(estimate({ tune: 5000 })).toEqual(estimate());
    const long = { draws: 100, n_samples: 100 };
    expect(secondsOf(estimate({ ...long, tune: 100 }), 'target')).toBeLessThanOrEqual(
      secondsOf(estimate({ ...long, tune: 200 }), 'target'),
    );
  });

  it.each<[what: string, stage: Stage, more: Asked]>([
    ['draws', 'target', { draws: 5000 }],
    ['rows to make', 'write', { n_samples: 300_000 }],
    ['columns', 'target', { continuous_cols: ['area', 'rooms'], categorical_cols: ['city', 'note'] }],
  ])('grows with %s, in the stage that they weigh on', (_, stage, more) => {
    expect(secondsOf(estimate(more), stage)).toBeGreaterThan(secondsOf(estimate(), stage));
    expect(estimate(more).seconds.expected).toBeGreaterThan(estimate().seconds.expected);
  });

  it('grows with epochs of text, and with nothing but text', () => {
    const [few, many] = [1, 9].map((text_epochs) => estimate({ text_cols: ['note'], n_samples: 100, text_epochs }));
    expect(secondsOf(many!, 'text')).toBeGreaterThan(2 * secondsOf(few!, 'text'));
    expect(secondsOf(many!, 'target')).toBe(secondsOf(few!, 'target'));
  });

  it('counts the models that a small table is measured by', async () => {
    const small = estimate({}, await profiled(housesCsv(300)));
    // Five times, by code that has run before.
    expect(secondsOf(small, 'metrics')).toBeGreaterThan(3 * secondsOf(small, 'target'));
    expect(secondsOf(estimate(), 'metrics')).toBeLessThan(3 * secondsOf(estimate(), 'target'));
  });

  it('offers no cheaper plan where none takes a fifth less', () => {
    expect(estimate({ draws: 100, tune: 100, n_samples: 100 }).cheaper).toBeNull();
  });

  it('offers only fields that the job has use for', () => {
    const { cheaper } = estimate({ text_cols: ['note'], text_epochs: 60, draws: 400, tune: 500, n_samples: 500 });
    expect(cheaper?.fields).toEqual({ text_epochs: 20 });
    const asked = estimate({ text_cols: ['note'], draws: 400, tune: 500, n_samples: 500, ...cheaper?.fields });
    expect(asked.seconds).toEqual(cheaper?.seconds);
  });
});

/** CPU seconds and MB of whole jobs with the standard settings, as measured (docs/measurements/0025 says how and when). */
const MEASURED: Record<string, { cpu: number; megabytes: number }> = {
  penguins: { cpu: 6.3, megabytes: 256 },
  titanic: { cpu: 6.3, megabytes: 253 },
  k401k: { cpu: 13.7, megabytes: 266 },
  nmes1988: { cpu: 24.9, megabytes: 305 },
  california_housing: { cpu: 37.2, megabytes: 405 },
  adult: { cpu: 46.9, megabytes: 442 },
  ohlsson_motorcycle: { cpu: 27.6, megabytes: 575 },
  diamonds: { cpu: 86.3, megabytes: 382 },
  magic: { cpu: 46.6, megabytes: 319 },
  beijing: { cpu: 66, megabytes: 397 },
  coffee_reviews: { cpu: 316, megabytes: 666 },
  wine_reviews_au: { cpu: 322, megabytes: 785 },
};
const WITHIN = 0.25;

/** CPU seconds of jobs of sequences, measured in the same way. */
const SEQUENCES: [name: string, asked: Asked, cpu: number][] = [
  ['sequences/prize-train.csv', { entity_col: 'group_id', n_samples: 3000 }, 188],
  ['sequences/prize-train.csv', { entity_col: 'group_id', n_entities: 20_000 }, 410],
  ['linked/fielding-train.csv', { entity_col: 'playerID', order_col: 'yearID', n_entities: 400 }, 79],
  ['linked/fielding-train.csv', { entity_col: 'playerID', order_col: 'yearID', n_entities: 10_000 }, 210],
];

describeShared('the estimate of shared sequences', (dir) => {
  it.each(SEQUENCES)('is within a quarter of the CPU seconds of %s, %o', async (name, asked, cpu) => {
    const of = await profiled(readFileSync(join(dir, 'data', name)));
    const named = (kind: string) => of.columns.flatMap((own) => (own.kind === kind ? [own.name] : []));
    const roles = { target_col: null, continuous_cols: named('continuous'), categorical_cols: named('categorical') };
    const left = (names: string[]) => names.filter((own) => own !== asked.entity_col && own !== asked.order_col);
    const request = { ...roles, continuous_cols: left(roles.continuous_cols), ...asked };
    const found = estimate({ family: 'auto', ...request }, of);
    expect(Math.abs(found.cpu_seconds.expected / cpu - 1)).toBeLessThan(WITHIN);
    expect(secondsOf(found, 'sequences')).toBeGreaterThan(0);
  });
});

describeShared('the estimate of shared tables', (dir) => {
  it.each(Object.entries(MEASURED))('is within a quarter of the CPU seconds of %s', async (name, measured) => {
    const { path, fields } = sharedFile(join(dir, 'data'), name);
    const found = estimate({ family: 'auto', ...WITHOUT, ...fields }, await profiled(readFileSync(path)));
    expect(Math.abs(found.cpu_seconds.expected / measured.cpu - 1)).toBeLessThan(WITHIN);
    expect(found.cpu_seconds.low).toBeLessThan(measured.cpu);
    expect(found.cpu_seconds.high).toBeGreaterThan(measured.cpu);
    expect(found.memory_mb).toBeGreaterThan(measured.megabytes / 2);
    expect(found.memory_mb).toBeLessThan(2 * measured.megabytes);
  });
});
