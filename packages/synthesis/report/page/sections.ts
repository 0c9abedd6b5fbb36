/** The parts of the page, each from its part of the data. */

import type { TopLevelSpec } from 'vega-lite';
import type { JobRegression } from '../../../contract/metrics.ts';
import type { ColumnReport, GridReport, ReportData } from '../../../contract/report.ts';
import { rHatLimit } from '../../../numerics/mcmc/diagnostics.ts';
import { clip, decimal, familyName } from '../../../words/format.ts';
import { AREAS, GRADES, MEASURES, REPLICATED } from '../../../words/report.ts';
import { counted, percent, withCommas } from '../../../words/wording.ts';
import { associationMatrices, contingencyTables, distanceChart, NUMBERED, overlaid } from './charts.ts';
import {
  drawSvg,
  escaped,
  figure,
  labelled,
  MADE,
  paragraph,
  REAL_EDGE,
  type SIDES,
  section,
  span,
  table,
} from './markup.ts';

export function summarySection({ judgements, metrics }: ReportData): string {
  const grades = judgements.map(
    ({ area, grade, headline, sentences, next }) =>
      `<div class="grade ${grade}"><p><span class="word">${AREAS[area]}: ${GRADES[grade]}</span></p><p><strong>${escaped(headline)}</strong></p>${[...sentences, ...next.map(({ text }) => text)].map((sentence) => paragraph(sentence)).join('')}</div>`,
  );
  const on = metrics.measured_on ? paragraph(metrics.measured_on.summary, 'lead') : '';
  return section('summary', 'Summary', `${on}<div class="grades">${grades.join('')}</div>`);
}

const KEY = `<p class="lead"><span class="key real"></span>real rows: filled bars &nbsp; <span class="key made"></span>synthetic rows: dark line or diamond</p>`;

export async function columnsSection({ columns, columns_left_out: leftOut }: ReportData): Promise<string> {
  const blocks: string[] = [];
  for (const column of columns) blocks.push(await columnBlock(column));
  const more = leftOut > 0 ? paragraph(`${counted(leftOut, 'more column')} not shown.`) : '';
  const said = paragraph(
    'Shares of rows. Counts below five real rows are left out, and the first and last bins hold everything beyond them, so no extreme value is shown.',
    'lead',
  );
  return section('columns', 'Columns', `${KEY}${said}<div class="columns">${blocks.join('')}</div>${more}`);
}

async function columnBlock(column: ColumnReport): Promise<string> {
  const { name, role, axis, real, synthetic, missing_real, missing_synthetic, reason } = column;
  const missing =
    missing_real > 0 || missing_synthetic > 0
      ? `; missing: ${percent(missing_real)} real, ${percent(missing_synthetic)} synthetic`
      : '';
  const what = axis?.kind === 'characters' ? 'length in characters' : role;
  const head = `<h3>${escaped(name)}</h3>${paragraph(`${what}${missing}`, 'lead')}`;
  const drawing = axis
    ? await drawSvg(overlaid({ axis, real, synthetic }), `${name}: shares of real and of synthetic rows`)
    : '';
  return `<div class="column">${head}${drawing && `<figure>${drawing}</figure>`}${reason ? paragraph(reason) : ''}</div>`;
}

export async function associationsSection(report: ReportData): Promise<string> {
  const { associations, contingencies, scatters } = report;
  const parts: string[] = [];
  if (associations.columns.length > 1) {
    const tooMany =
      associations.columns.length > NUMBERED ? ' The numbers do not fit here; the report’s JSON has them.' : '';
    parts.push(
      figure(
        await drawSvg(associationMatrices(associations), 'Associations between all columns, real and synthetic'),
        `Associations between columns, from 0 to 1; darker is stronger, a minus sign is a negative correlation. Two numbers: Spearman’s correlation. A number and a category: correlation ratio. Two categories: Cramér’s V.${tooMany}`,
      ),
    );
  }
  const pairs: string[] = [];
  for (const grid of scatters) pairs.push(figure(await drawSvg(scatterPair(grid), captionOf(grid)), captionOf(grid)));
  for (const grid of contingencies)
    pairs.push(figure(await drawSvg(contingencyTables(grid), captionOf(grid)), captionOf(grid)));
  if (pairs.length > 0) parts.push(`<div class="columns">${pairs.join('')}</div>`);
  if (parts.length === 0)
    return section(
      'associations',
      'Associations',
      paragraph('There are too few columns that vary to measure associations.'),
    );
  const said = paragraph(
    'The strongest associations follow the matrices. The area of a circle is a share of rows; cells with fewer than five real rows are left blank.',
    'lead',
  );
  return section('associations', 'Associations', said + parts.join(''));
}

const captionOf = ({ x, y, measure, strength_real, strength_synthetic }: GridReport): string =>
  `${x.column} (horizontal) and ${y.column}: ${MEASURES[measure]} ${decimal(strength_real)} real, ${decimal(strength_synthetic)} synthetic.`;

export async function privacySection({ distances }: ReportData): Promise<string> {
  if (!distances)
    return section(
      'privacy',
      'Distance to real rows',
      paragraph('Distances need a numeric or categorical column and more rows.'),
    );
  const { rows } = distances;
  const beside =
    distances.beside === 'held-out rows'
      ? `compared with ${counted(rows.real, 'held-out real row')}`
      : `compared with ${counted(rows.real, 'training row')} and their nearest neighbours`;
  const caption = `Distance of ${counted(rows.synthetic, 'synthetic row')} (line; median ${decimal(distances.median_synthetic)}) to the nearest of ${counted(rows.training, 'training row')}, ${beside} (filled bars; median ${decimal(distances.median_real)}). 0 is a copy; 1 is a row that differs in every column. A line well to the left of the bars would suggest copying.`;
  return section('privacy', 'Distance to real rows', figure(await drawSvg(distanceChart(distances), caption), caption));
}

export async function modelSection({ metrics }: ReportData): Promise<string> {
  const { regression } = metrics;
  if (!regression) return '';
  const facts: [string, string][] = [
    ['target, family', `${regression.target}, ${familyName(regression.family)}`],
    ['sampling method', regression.method],
    [`largest R-hat (converged: below ${decimal(rHatLimit(regression.draws))})`, decimal(regression.worst_r_hat)],
    [
      'smallest effective sample size, bulk and tail',
      `${decimal(regression.least_bulk_ess)}, ${decimal(regression.least_tail_ess)}`,
    ],
    [
      'divergences; trajectories at maximum tree depth',
      `${withCommas(regression.divergences)}; ${withCommas(regression.depth_exceeded)}`,
    ],
    ['smallest E-BFMI (below 0.2: suspicious)', decimal(regression.least_e_bfmi)],
    ['Pareto k of importance weights (below 0.7: good)', decimal(regression.pareto_k)],
    ...PREDICTED.map((name): [string, string] => [
      `posterior predictive p-value of the ${REPLICATED[name]}`,
      decimal(regression.predictive_p_values[name]),
    ]),
  ];
  const chosen = regression.family_choice
    ? paragraph(`Family chosen from the data: ${familyName(regression.family_choice.family)}.`)
    : '';
  const chart =
    regression.coefficients.length > 0
      ? figure(
          await drawSvg(coefficientChart(regression), 'Coefficients with 90 % intervals'),
          'Coefficients furthest from zero: posterior means and 90 % intervals.',
        )
      : '';
  return section('model', 'Target model', paragraph(regression.summary) + chosen + table([], facts) + chart);
}

const PREDICTED = ['mean', 'sd', 'zeros', 'least', 'greatest'] as const;

export function textsSection({ text_samples: samples, columns }: ReportData): string {
  if (!columns.some(({ role }) => role === 'text')) return '';
  if (samples === null)
    return section(
      'texts',
      'Synthetic texts',
      paragraph('The rows, and these texts with them, are withheld by the release policy.'),
    );
  const blocks = samples.map(
    ({ column, texts }) =>
      `<h3>${escaped(column)}</h3>${texts.map((text) => `<blockquote>${escaped(text)}</blockquote>`).join('')}`,
  );
  return section('texts', 'Synthetic texts', paragraph('The first texts in the table.', 'lead') + blocks.join(''));
}

// Pairs of columns as circles, and coefficients with their intervals.

/** Characters of an axis title. */
const MAX_TITLE = 34;

/** How often two columns have what together: the larger a circle, the more rows. */
function scatterPair(grid: GridReport): TopLevelSpec {
  const most = Math.max(1e-9, ...grid.real, ...grid.synthetic);
  const side = (name: (typeof SIDES)[number], isFirst: boolean) => {
    const dots = grid[name].flatMap((share, at) =>
      share === 0 ? [] : [{ x: Math.floor(at / grid.y.bins) + 0.5, y: (at % grid.y.bins) + 0.5, share }],
    );
    const isDown = grid.y.kind === 'levels';
    return {
      title: name,
      width: 230,
      height: isDown ? Math.max(90, 22 * grid.y.bins) : 200,
      data: { values: dots },
      mark: { type: 'circle', fill: name === 'real' ? REAL_EDGE : MADE, opacity: 0.85 },
      encoding: {
        x: {
          field: 'x',
          type: 'quantitative',
          scale: span(0, grid.x.bins),
          axis: { ...labelled(grid.x.ticks), title: clip(grid.x.column, MAX_TITLE), grid: true, labelFlush: true },
        },
        y: {
          field: 'y',
          type: 'quantitative',
          scale: isDown ? span(grid.y.bins, 0) : span(0, grid.y.bins),
          axis: {
            ...labelled(grid.y.ticks),
            title: isFirst ? clip(grid.y.column, MAX_TITLE) : null,
            grid: true,
            labels: isFirst,
          },
        },
        size: { field: 'share', type: 'quantitative', scale: { domain: [0, most], range: [0, 220] }, legend: null },
      },
    } satisfies TopLevelSpec;
  };
  return { hconcat: [side('real', true), side('synthetic', false)], spacing: 20 };
}

const MAX_COEFFICIENTS = 30;

/** Parameters that say nothing of another column. */
const NO_EFFECTS = new Set(['intercept', 'sigma', 'nu', 'phi', 'shape', 'alpha', 'zero_inflation', 'hurdle']);

/** Means and 90 % intervals of the largest coefficients. */
function coefficientChart({ coefficients }: JobRegression): TopLevelSpec {
  const shown = coefficients
    .filter(({ name }) => !NO_EFFECTS.has(name) && !/^tree \d/.test(name))
    .filter(({ q05, q95 }) => Number.isFinite(q95 - q05))
    .toSorted((a, b) => Math.abs(b.mean) / (b.sd || 1) - Math.abs(a.mean) / (a.sd || 1))
    .slice(0, MAX_COEFFICIENTS);
  const ticks = shown.map(({ name }, at) => ({
    at: at + 0.5,
    text: clip(name, 40),
  }));
  const values = shown.map(({ mean, q05, q95 }, at) => ({ at: at + 0.5, mean, q05, q95 }));
  const y = {
    field: 'at',
    type: 'quantitative',
    scale: span(shown.length, 0),
    axis: { ...labelled(ticks), title: null, grid: false, ticks: false, labelLimit: 220, labelOverlap: false },
  } as const;
  const x = { type: 'quantitative', axis: { title: 'coefficient, on the scale of the model' } } as const;
  return {
    width: 360,
    height: 16 * shown.length,
    data: { values },
    layer: [
      { mark: { type: 'rule', stroke: '#bbb' }, encoding: { x: { datum: 0 } } },
      { mark: { type: 'rule', stroke: '#1b1b1b' }, encoding: { y, x: { ...x, field: 'q05' }, x2: { field: 'q95' } } },
      {
        mark: { type: 'point', filled: true, fill: MADE, size: 40, opacity: 1 },
        encoding: { y, x: { ...x, field: 'mean' } },
      },
    ],
  };
}
