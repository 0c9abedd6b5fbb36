import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MeasuredFigure } from '../../../packages/contract/measuredFigure.ts';
import type { PrivacyMetrics } from '../../../packages/contract/metrics.ts';
import { RECEIPT_KEY_MARK, reportSchema } from '../../../packages/contract/report.ts';
import type { Judgement } from '../../../packages/contract/verdicts.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import { makeReport, withoutSamples } from '../../../packages/synthesis/report/makeReport.ts';
import { numberAxis } from '../../../packages/synthesis/report/numberAxis.ts';
import { escaped } from '../../../packages/synthesis/report/page/markup.ts';
import { renderReport } from '../../../packages/synthesis/report/page/renderReport.ts';
import { attacksOf } from '../../../packages/words/attacks.ts';
import { distanceWords, overallSentence } from '../../../packages/words/report.ts';
import { METRICS } from '../../support/jobFixtures.ts';
import { levels, numbers, tableOf, reportTaskOf as taskOf, texts } from '../../support/reportTables.ts';

const yieldToEventLoop = async (): Promise<void> => undefined;
/** Two tied numbers, two tied categories and a text, in 200 rows; the last row is unlike all others. */
function wholeTable(seed: number, { odd } = { odd: false }): ModelTable {
  const stream = createStream(seed, 'table');
  const x = Array.from({ length: 200 }, () => stream.uniform() * 100);
  const last = <T>(values: T[], value: T): T[] => (odd ? [...values.slice(0, -1), value] : values);
  return tableOf(
    numbers('x', last(x, 987_654_321)),
    numbers(
      'y',
      last(
        x.map((value) => 2 * value + stream.uniform() * 10),
        -123_456_789,
      ),
    ),
    levels(
      'c',
      last(
        x.map((value) => (value < 50 ? 'low' : 'high')),
        'a level of one person',
      ),
    ),
    levels(
      'd',
      last(
        x.map((value) => (value < 40 ? 'left' : 'right')),
        'another level of one person',
      ),
    ),
    texts(
      't',
      last(
        x.map((value) => `a text ${'o'.repeat(Math.round(value / 10))}`),
        'a text of one person '.repeat(40),
      ),
    ),
  );
}

describe('a report', () => {
  const whole = makeReport(taskOf(wholeTable(1, { odd: true }), wholeTable(2)));

  it('fits its schema, with every column, the ties, the strongest pairs, distances and synthetic texts', () => {
    expect(reportSchema.parse(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
    expect(whole.columns.map(({ name, axis }) => [name, axis?.kind])).toEqual([
      ['x', 'numbers'],
      ['y', 'numbers'],
      ['c', 'levels'],
      ['d', 'levels'],
      ['t', 'characters'],
    ]);
    const pairs = whole.scatters.map(({ x, y, measure }) => `${x.column} ${y.column} ${measure}`);
    expect(pairs).toEqual(expect.arrayContaining(['x y spearman', 'x c correlation_ratio', 'y d correlation_ratio']));
    expect(whole.contingencies.map(({ x, y }) => [x.column, y.column])).toEqual([['c', 'd']]);
    expect(whole.distances).toMatchObject({ beside: 'training rows', rows: { training: 200, synthetic: 200 } });
    expect(whole.text_samples?.[0]?.texts).toHaveLength(5);
  });

  it('has shares that add up to the rows, less those of small cells', () => {
    for (const { real, synthetic } of whole.columns) {
      const sum = (shares: readonly number[]): number => shares.reduce((all, share) => all + share, 0);
      expect(sum(synthetic)).toBeCloseTo(1, 2);
      expect(sum(real ?? [])).toBeLessThanOrEqual(1.01);
      expect(sum(real ?? [])).toBeGreaterThan(0.8);
    }
  });

  it('shows no single real row: no extreme, no level of one row, no cell of fewer than five, no real text', async () => {
    const shown = JSON.stringify(whole) + (await renderReport(whole, yieldToEventLoop));
    expect(shown).not.toMatch(/987.?654|123.?456|one person/);
    for (const { real } of [...whole.columns, ...whole.scatters, ...whole.contingencies]) {
      expect((real ?? []).filter((share) => share > 0 && Math.round(share * 200) < 5)).toEqual([]);
    }
  });

  it('is one page without a script or a reference to anything outside, for screen and paper', async () => {
    const page = await renderReport(whole, yieldToEventLoop);
    expect(page).not.toMatch(
      /<script|<link(?! rel="icon" href="data:,")|@import|url\(|\bsrc=|xlink|https?:|href="(?!#|data:,)/i,
    );
    expect(page).toContain('@media print');
    expect(page.match(/<svg role="img" aria-label="/g)?.length).toBeGreaterThanOrEqual(8);
  });

  it('takes names, levels and texts for text, whatever they hold', async () => {
    const bad = `</style><script>alert(1)</script>"'&\u2028\\ $\{x} {{y}} datum.z\u0007`;
    const many = (text: string) => Array.from({ length: 60 }, (_, row) => (row % 2 ? text : 'b'));
    const made = tableOf(
      levels(bad, many(bad)),
      levels('d', many(`${bad}${bad}`)),
      numbers(
        `x${bad}`,
        many('').map((_, row) => row),
      ),
      texts(`t${bad}`, many(bad)),
    );
    const page = await renderReport(makeReport(taskOf(made, made, { fileName: bad })), yieldToEventLoop);
    expect(page).not.toContain('<script');
    expect(page).not.toContain('\u0007');
    expect(page.match(/<\/style>/g)).toHaveLength(1);
    expect(page).toContain('alert(1)');
  });

  it('has no text where the rows are withheld', async () => {
    const withheld = withoutSamples(whole);
    expect(withheld.text_samples).toBeNull();
    const page = await renderReport(withheld, yieldToEventLoop);
    expect(page).toContain('withheld by the release policy');
    expect(page).not.toContain('<blockquote>');
  });

  it('is made of 20 columns in less than 2 MB', async () => {
    const wide = (seed: number) => {
      const stream = createStream(seed, 'wide');
      const base = Array.from({ length: 400 }, () => stream.uniform());
      const own = (j: number) => base.map((x) => x + stream.uniform() * j);
      const numeric = Array.from({ length: 10 }, (_, j) => numbers(`number ${j}`, own(j)));
      const categories = Array.from({ length: 10 }, (_, j) =>
        levels(
          `category ${j}`,
          own(j).map((x) => `level ${Math.floor(x * 5)}`),
        ),
      );
      return tableOf(...numeric, ...categories);
    };
    const page = await renderReport(makeReport(taskOf(wide(1), wide(2))), yieldToEventLoop);
    expect(page.length).toBeLessThan(2_000_000);
    expect(page.match(/class="column"/g)).toHaveLength(20);
  });

  it('has a sheet to sign without a number, but for hashes and the job', async () => {
    const graded: Judgement = {
      area: 'privacy',
      grade: 'poor',
      headline: '3.5 % of 200 rows',
      sentences: ['12 rows equal a real row'],
      next: [],
      inherited: false,
    };
    const page = await renderReport({ ...whole, judgements: [graded] }, yieldToEventLoop);
    const sheet = /<section id="review">(.*?)<\/section>/s.exec(page)?.[1] ?? '';
    expect(sheet).toContain('Privacy: poor.');
    expect(sheet.replaceAll(/<code>.*?<\/code>|<\/?h2>/g, '')).not.toMatch(/\d/);
  });

  it('stops between its parts where the job is to stop', async () => {
    await expect(renderReport(whole, () => Promise.reject(new Error('stop')))).rejects.toThrow('stop');
  });
});

const figure: MeasuredFigure = {
  value: 0.51,
  low: 0.47,
  high: 0.55,
  rows: 1200,
  reason: null,
  ideal: 0.5,
  holdout: null,
  independent: null,
  swapped: null,
  verdict: 'as good',
};

const PRIVACY: PrivacyMetrics = {
  exact_copies: figure,
  unique_copies: figure,
  near_copies: figure,
  dcr_share: figure,
  dcr_share_worst: figure,
  worst_columns: ['x'],
  neighbour_ratio: figure,
  membership_inference: figure,
  singling_out: figure,
  copies_but_one: figure,
  singling_out_excess: { ...figure, upper: 0.56 },
  linkability_excess: figure,
  membership: [
    {
      score: 'density_ratio',
      over: 'isolated',
      auc: figure,
      true_positives_1: figure,
      true_positives_10: figure,
      highest: figure,
    },
  ],
  look_ups: [{ known: ['x'], column: 'c', advantage: figure }],
  sure_copies: 0,
  copied_rows: [],
  strange_rows: figure,
  attribute_excess: figure,
  attribute_inference: [{ column: 'c', why: 'its name', advantage: figure }],
  text_memorisation: figure,
  worst_text_column: 't',
};

describe('a report that is signed and kept', () => {
  const identity = {
    input_commitment: 'c'.repeat(64),
    output_sha256: 'd'.repeat(64),
    output_bytes: 1234,
    receipt_key_id: null,
  };
  const judgement = (area: Judgement['area'], grade: Judgement['grade']): Judgement => ({
    area,
    grade,
    headline: `${area} is ${grade}`,
    sentences: [],
    next: [],
    inherited: false,
  });
  const judgements = [judgement('likeness', 'good'), judgement('privacy', 'mixed'), judgement('model', 'poor')];
  const task = taskOf(wholeTable(1), wholeTable(2), {
    identity,
    fileName: 'a".csv',
    notUsed: [{ name: 'PatientId', kind: 'identifier' as const }],
    metrics: { ...METRICS, privacy: PRIVACY, verdicts: judgements },
  });
  const report = makeReport(task);
  const sectionOf = async (id: string): Promise<string> =>
    (await page).split(`<section id="${id}">`)[1]?.split('</section>')[0] ?? '';
  const page = renderReport(report, yieldToEventLoop);

  it('has one sentence on top, the worst first, which advises against sharing where privacy is not good', async () => {
    const said = 'Target model is poor; Privacy is mixed; Fidelity is good; do not share this table without review.';
    expect(await page).toContain(`<p class="overall poor">${said}</p>`);
    expect(overallSentence([judgement('privacy', 'good'), judgement('likeness', 'good')], { isWithheld: false })).toBe(
      'Both checks passed.',
    );
    expect(overallSentence([judgement('privacy', 'mixed')], { isWithheld: true })).toBe(
      'Privacy is mixed; the download is blocked until someone releases the rows.',
    );
    expect(overallSentence([], { isWithheld: false })).toBe('This table was not judged.');
  });

  it('says which table, input, receipt, software and seed it is about, and which columns it left out and why', async () => {
    const said = await sectionOf('identity');
    const [{ software }, seed] = [report, report.metrics.seed];
    for (const text of ['a', identity.input_commitment, identity.output_sha256, RECEIPT_KEY_MARK, String(seed)])
      expect(said).toContain(`<code>${text}</code>`);
    expect(said).toContain(`synthetic-tables ${software.version}, Node ${software.node}`);
    expect(said).toMatch(/PatientId<\/th><td>identifier<\/td><td>not requested; its values identify rows/);
  });

  it('says what every attack assumes, when it is worse, its interval and its rows', async () => {
    const said = await sectionOf('privacy');
    const tried = attacksOf(PRIVACY);
    expect(tried).toHaveLength(20);
    for (const { name, knows, counts, worse } of tried) {
      for (const text of [name, knows, counts, worse]) expect(said).toContain(escaped(text));
    }
    expect(said.match(/0\.51<br>0\.47 to 0\.55<br>(?:at most 0\.56 \(95 %, one-sided\)<br>)?1,200 rows/g)).toHaveLength(
      20,
    );
    expect(said).toContain('at most 0.56 (95 %, one-sided)');
  });

  it('has a score for every column, key figures with intervals, differences of associations and lines to sign', async () => {
    const scores = await sectionOf('scores');
    for (const { name } of report.columns) expect(scores).toContain(`<th scope="row">${name}</th>`);
    expect(distanceWords(60, [0.1, null])).toMatch(/60 rows; 0 is best\. 1 of 2 columns have one\.$/);
    expect(distanceWords(60, [0.1, 0.2])).toMatch(/0 is best\.$/);
    expect(await sectionOf('summary')).toMatch(/95 % interval<\/th>[\s\S]*0\.47 to 0\.55/);
    expect(await sectionOf('associations')).toMatch(/class="(?:more|less)"/);
    const review = await sectionOf('review');
    for (const line of ['Decision', 'Conditions', 'Name', 'Role', 'Date', 'Signature'])
      expect(review).toMatch(new RegExp(`<th scope="row">${line}.*</th><td[^>]*></td>`));
  });

  it('numbers its pages, repeats heads of tables and ends no string of its style, whatever the file is called', async () => {
    const style = (await page).split('<style>')[1]?.split('</style>')[0] ?? '';
    expect(style).toContain('@bottom-right { content: counter(page) " / " counter(pages)');
    expect(style).toContain('display: table-header-group');
    expect(style).toContain('content: "Synthetic table from a\\22 .csv, job a"');
  });
});

describe('a report of a bad table', () => {
  const empty = Array.from({ length: 30 }, () => null);
  const cases: [string, ModelTable, ModelTable][] = [
    [
      'no rows',
      tableOf(numbers('x', []), levels('c', []), texts('t', [])),
      tableOf(numbers('x', []), levels('c', []), texts('t', [])),
    ],
    [
      'two real rows and one synthetic one',
      tableOf(numbers('x', [1, 2]), levels('c', ['a', 'b'])),
      tableOf(numbers('x', [1]), levels('c', ['a'])),
    ],
    [
      'constant columns',
      tableOf(numbers('x', Array(30).fill(7)), levels('c', Array(30).fill('a'))),
      tableOf(numbers('x', Array(9).fill(7)), levels('c', Array(9).fill('a'))),
    ],
    [
      'columns without a cell',
      tableOf(
        numbers(
          'x',
          empty.map(() => Number.NaN),
        ),
        levels('c', empty),
        texts('t', empty),
      ),
      tableOf(
        numbers(
          'x',
          empty.map(() => Number.NaN),
        ),
        levels('c', empty),
        texts('t', empty),
      ),
    ],
    [
      'numbers at the ends of doubles',
      tableOf(
        numbers(
          'x',
          empty.map((_, i) => (i % 2 ? 1e308 : -1e308)),
        ),
      ),
      tableOf(
        numbers(
          'x',
          empty.map((_, i) => i * 5e-324),
        ),
      ),
    ],
    ['no columns', { rows: 3, columns: new Map() }, { rows: 3, columns: new Map() }],
  ];
  it.each(cases)('of %s is a page, and data that fit the schema', async (_, real, synthetic) => {
    const report = makeReport(taskOf(real, synthetic));
    expect(reportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
    const page = await renderReport(report, yieldToEventLoop);
    expect(page).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe('numberAxis', () => {
  const values = fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 12, maxLength: 80 });

  it('has a box for every number, in their order', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 2, max: 30 }), (all, bins) => {
        const axis = numberAxis('x', Float64Array.from(all), new Float64Array(), null, bins);
        if (!axis) return;
        expect(axis.bins).toBeGreaterThanOrEqual(1);
        expect(axis.bins).toBeLessThanOrEqual(bins + 1);
        const boxes = all.toSorted((a, b) => a - b).map(axis.binOf);
        expect(boxes).toEqual(boxes.toSorted((a, b) => a - b));
        expect(boxes.every((box) => box >= 0 && box < axis.bins)).toBe(true);
        expect(axis.ticks.every(({ at }) => at >= 0 && at <= axis.bins)).toBe(true);
      }),
    );
  });

  it('does not move where the four lowest and highest numbers do', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 1, max: 1e6, noNaN: true }), (all, far) => {
        const sorted = all.toSorted((a, b) => a - b);
        const moved = sorted.map((value, at) => (at < 4 ? value - far : at >= sorted.length - 4 ? value + far : value));
        const ticks = (own: number[]) => numberAxis('x', Float64Array.from(own), new Float64Array(), null, 24)?.ticks;
        expect(ticks(moved)).toEqual(ticks(sorted));
      }),
    );
  });

  it('names times as dates and keeps units', () => {
    const days = Float64Array.from({ length: 400 }, (_, i) => 18_000 + i);
    const format = { integer: true, decimals: 0, fixed: false, min: 18_000, max: 18_400 };
    const time = { kind: 'time' as const, pattern: 'YYYY-MM-DD', unit: 'day' as const, zone: null, format };
    expect(numberAxis('x', days, days, time, 24)?.ticks[0]?.text).toMatch(/^2019-0[34]-\d\d$/);
    expect(numberAxis('x', days, days, { ...time, unit: 'month' }, 24)?.ticks[0]?.text).toMatch(/^34\d\d-\d\d$/);
    const euros = {
      kind: 'decorated' as const,
      prefix: '€ ',
      suffix: '',
      thousands: ',',
      decimal: '.' as const,
      negative: 'minus' as const,
      signOutside: false,
      plus: false,
      width: 0,
      percent: false,
      format,
    };
    expect(numberAxis('x', days, days, euros, 24)?.ticks[0]?.text).toBe('€ 18000');
  });
});
