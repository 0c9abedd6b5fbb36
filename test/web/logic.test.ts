import { describe, expect, it } from 'vitest';
import type { JobEvent, ProgressEvent } from '../../packages/contract/events.ts';
import { logLines } from '../../packages/words/events.ts';
import { bytes, clip, decimal, dollars, duration, interval, roughTime, share } from '../../packages/words/format.ts';
import { fieldTexts } from '../../packages/words/problems.ts';
import { middleRange, quantileAt, sharesOfQuantiles } from '../../web/logic/histogram.ts';
import { hashOf, judgedAgain, keyIn, NOTHING_JUDGED, type Route, routeOf } from '../../web/logic/route.ts';
import { type STAGES, stagesOf, standingOf } from '../../web/logic/stages.ts';

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

describe('an estimate in words', () => {
  it('is no more exact than an estimate is', () => {
    const words = [0.3, 1.6, 42.4, 89, 91, 1320, 3599, 4000].map(roughTime).map((text) => text.replace('\u00a0', ' '));
    expect(words).toEqual(['a second', '2 s', '42 s', '1 min 29 s', '2 min', '22 min', '1 h 00 min', '1 h 07 min']);
    expect([0.0064, 0.099, 0.1, 12.345].map(dollars)).toEqual(['$0.006', '$0.099', '$0.10', '$12.35']);
  });
});

describe('histograms', () => {
  const probabilities = [0, 0.25, 0.5, 0.75, 1];
  const range = { low: 0, high: 100 };

  it('of quantiles are those of the values that have these quantiles', () => {
    const values = Array.from({ length: 10_001 }, (_, i) => (i / 10_000) ** 2 * 100);
    const fine = Array.from({ length: 201 }, (_, i) => i / 200);
    const byQuantiles = sharesOfQuantiles(
      fine,
      fine.map((p) => values[Math.round(p * 10_000)]!),
      range,
      10,
    );
    // The curve between two of 201 quantiles is a straight line: off by less than one step of 1/200.
    byQuantiles.forEach((share, bin) => {
      const own = values.filter((value) => Math.min(9, Math.floor(value / 10)) === bin).length / values.length;
      expect(Math.abs(share - own)).toBeLessThan(1 / 200);
    });
  });

  it.each([
    ['evenly spread', [0, 25, 50, 75, 100]],
    ['half of them one value', [0, 0, 0, 40, 100]],
    ['all of them one value', [7, 7, 7, 7, 7]],
    ['beyond the range on both sides', [-500, 10, 20, 30, 900]],
  ])('put all of the mass into bins: %s', (_, values) => {
    expect(sum(sharesOfQuantiles(probabilities, values, range, 24))).toBeCloseTo(1, 12);
  });

  it('keep a heap of equal values in its own bin', () => {
    expect(sharesOfQuantiles(probabilities, [50, 50, 50, 50, 100], range, 10)[5]).toBeGreaterThanOrEqual(0.75);
  });

  it('reach from the 1 % to the 99 % quantile, and over everything where these are one', () => {
    expect(middleRange([0, 0.01, 0.99, 1], [-1e9, 2, 5, 1e9])).toEqual({ low: 2, high: 5 });
    expect(middleRange([0, 0.01, 0.99, 1], [0, 3, 3, 9])).toEqual({ low: 0, high: 9 });
    expect(quantileAt(probabilities, [0, 25, 50, 75, 100], 0.6)).toBeCloseTo(60, 12);
  });
});

describe('the standing of a job', () => {
  const agreement = { worst_r_hat: 1.001, least_bulk_ess: 900, divergences: 0 };
  const events: [stage: (typeof STAGES)[number], event: ProgressEvent][] = [
    ['Reading', { stage: 'start', fact: 'target_model', model: 'NUTS', column: 'Fare', family: 'auto', draws: 100 }],
    ['Reading', { stage: 'load', fact: 'table_read', rows: 891, columns: 12 }],
    ['Reading', { stage: 'plan', fact: 'family_chosen', column: 'Fare', family: 'gamma', runner_up: null }],
    ['Fitting', { stage: 'holdout', fact: 'rows_split', train: 802, holdout: 89 }],
    ['Fitting', { stage: 'fit', fact: 'categories_fitted', done: 5, total: 5 }],
    ['Fitting', { stage: 'fit', fact: 'rows_sampled', done: 802, total: 802 }],
    ['Fitting', { stage: 'fit', fact: 'trees_fitted', done: 3, total: 3 }],
    ['Fitting', { stage: 'fit', fact: 'chains_sampled', parameter: null, done: 800, total: 800, divergences: 0 }],
    ['Fitting', { stage: 'fit', fact: 'chains_repeated', parameter: null, ...agreement }],
    ['Generating', { stage: 'generate', fact: 'numbers_drawn', done: 300, total: 300 }],
    ['Generating', { stage: 'generate', fact: 'target_drawn', column: 'Fare', done: 45, total: 300 }],
    ['Measuring', { stage: 'measure', fact: 'categories_predicted', done: 4, total: 4 }],
    ['Measuring', { stage: 'measure', fact: 'neighbours_found', rows: 300 }],
    ['Writing', { stage: 'write', fact: 'table_written', bytes: 16_435 }],
  ];
  const upTo = (count: number): JobEvent[] =>
    events.slice(0, count).map(([, event], at) => ({ ...event, seconds: at }));

  it.each(events.map(([stage, event], at) => [stage, event.fact, at] as const))('is %s at %s', (stage, _, at) => {
    expect(standingOf({ status: 'running', events: upTo(at + 1) }).stage).toBe(stage);
  });

  it('only ever goes on, from 0 to below 1, and is 1 when the job is done', () => {
    const shares = events.map((_, at) => standingOf({ status: 'running', events: upTo(at + 1) }).share);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(new Set(shares).size).toBeGreaterThan(9);
    expect(shares.at(-1)).toBeLessThan(1);
    expect(standingOf({ status: 'done', events: upTo(3) }).share).toBe(1);
    expect(standingOf({ status: 'started', events: [] })).toEqual({ stage: 'Queued', share: 0 });
  });

  it('that judges a table passes through its own stages alone, and goes on', () => {
    const judged = events.filter(([, { stage }]) => ['load', 'holdout', 'measure', 'write'].includes(stage));
    const found = judged.map((_, at) =>
      standingOf({
        status: 'running',
        events: judged.slice(0, at + 1).map(([, event], seconds) => ({ ...event, seconds })),
        compared_with: 'a',
      }),
    );
    expect(found.map(({ stage }) => stage)).toEqual(['Reading', 'Reading', 'Measuring', 'Measuring', 'Writing']);
    expect(found.every(({ stage }) => stagesOf({ isComparison: true }).includes(stage))).toBe(true);
    const shares = found.map(({ share }) => share);
    expect(shares).toEqual([...new Set(shares)].toSorted((a, b) => a - b));
  });

  it('has a log: its events in words, or the lines of a status for sharing', () => {
    expect(logLines({ events: upTo(2), progress: ['x', 'y'] }, 'page')[1]).toBe('Read 891 rows and 12 columns (1.0 s)');
    expect(logLines({ events: [], progress: ['Read 891 rows'] }, 'page')).toEqual(['Read 891 rows']);
  });
});

describe('numbers as people read them', () => {
  it.each([
    [null, '–'],
    [Number.NaN, '–'],
    [0, '0'],
    [1.08e-19, 'below 0.001'],
    [-0.0004, 'above −0.001'],
    [0.12345, '0.123'],
    [1.0012, '1.001'],
    [-3.5, '−3.5'],
    [386.4, '386'],
    [12_345, '12,345'],
    [2.5e9, '2.5 billion'],
    [1e300, '1.00 × 10^300'],
  ])('%s is written %s', (value, text) => {
    expect(decimal(value)).toBe(text);
  });

  it('are shares, sizes, times and clipped texts', () => {
    expect([share(0.5), share(0.0004), share(0), share(null)]).toEqual(['50 %', 'below 0.1 %', '0 %', '–']);
    expect([interval(0.4, 0.6), interval(1e-19, 1e-5), interval(null, null)]).toEqual([
      '0.4 to 0.6',
      'below 0.001',
      '–',
    ]);
    expect([bytes(12), bytes(52_428_800), bytes(5e9)]).toEqual(['12 bytes', '50 MB', '4,770 MB']);
    expect([duration(61_000), duration(3_720_000)]).toEqual(['1 min 01 s', '1 h 02 min']);
    expect([clip('abc', 3), clip('abcd', 3)]).toEqual(['abc', 'ab…']);
  });
});

describe('a problem beside the fields that it is about', () => {
  it('is found by the names of the fields, not by its words', () => {
    const faults = [
      { field: 'draws', rule: 'must be a whole number from 100 to 10,000', found: '7' },
      { field: 'conditions[1].rows', rule: 'must be a whole number', found: null },
    ];
    const problem = { code: 'invalid_parameter', params: { reason: 'fields_invalid', faults } };
    expect(fieldTexts(problem, 'page')).toEqual([
      { field: 'draws', part: 'draws', text: expect.stringContaining('from 100 to 10,000; found 7.') },
      { field: 'conditions', part: 'conditions[1].rows', text: expect.stringContaining('must be a whole number') },
    ]);
    const other = { code: 'invalid_parameter', field: 'conditions[0]', params: { reason: 'of a later version' } };
    expect(fieldTexts({ ...other, message: 'No.' }, 'page')).toEqual([
      { field: 'conditions', part: 'conditions[0]', text: 'No.' },
    ]);
    expect(fieldTexts({ code: 'storage_full', params: {} }, 'page')).toEqual([]);
  });
});

describe('the address', () => {
  it('names the route, and any other address is the start', () => {
    const routes: Route[] = [
      { at: 'start' },
      { at: 'jobs' },
      { at: 'job', id: 'a1b2' },
      { at: 'job', id: 'a1b2', earlier: { from: 'c3', action: 'leave_out', column: 'a & b=é' } },
      { at: 'job', id: 'a1b2', earlier: { from: 'c3', action: null, column: null } },
      { at: 'sideBySide', ids: ['a1', 'b2'] },
      { at: 'judge', uploads: NOTHING_JUDGED, from: null },
      { at: 'judge', uploads: { real: 'a1', synthetic: null, held: 'c3' }, from: null },
      { at: 'judge', uploads: { real: 'a1', synthetic: 'b2', held: null }, from: 'd4' },
    ];
    expect(routes.map(hashOf).map(routeOf)).toEqual(routes);
    expect(routeOf('#jobs')).toEqual({ at: 'jobs' });
    expect(['', '#start', '#job=', '#job=../x', '#job=<b>'].map(routeOf)).toEqual(new Array(5).fill({ at: 'start' }));
    expect(routeOf('#judge&real=<b>')).toEqual({ at: 'judge', uploads: NOTHING_JUDGED, from: null });
    // An action that the page does not know is none.
    expect(routeOf('#job=a&from=b&do=erase')).toEqual({
      at: 'job',
      id: 'a',
      earlier: { from: 'b', action: null, column: null },
    });
  });

  it('of a comparison that is to be made again has its tables, and another job for the one that is done', () => {
    const done = { job_id: 'b2', compared_with: 'a1', holdout_job_id: 'c3' };
    expect(judgedAgain(done)).toEqual({
      at: 'judge',
      uploads: { real: 'a1', synthetic: 'b2', held: 'c3' },
      from: 'b2',
    });
    expect(judgedAgain({ job_id: 'b2', compared_with: 'a1' }, 'd4')).toEqual({
      at: 'judge',
      uploads: { real: 'a1', synthetic: 'd4', held: null },
      from: 'b2',
    });
    expect(judgedAgain({ job_id: 'b2' })).toBeUndefined();
  });

  it('may bring a key', () => {
    expect(['#key=a1.b-2_c', '#job=x&key=k', '#key=', '#jobs', ''].map(keyIn)).toEqual([
      'a1.b-2_c',
      'k',
      undefined,
      undefined,
      undefined,
    ]);
  });
});
