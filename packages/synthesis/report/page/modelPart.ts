import type { TopLevelSpec } from 'vega-lite';
import type { JobRegression } from '../../../contract/regressionMetrics.ts';
import type { ReportData } from '../../../contract/report.ts';
import { rHatLimit } from '../../../numerics/mcmc/diagnostics.ts';
import { clip, decimal, familyName } from '../../../words/format.ts';
import { looText, REPLICATED, SHRINKAGE_NOTE, targetNumbers } from '../../../words/report.ts';
import { counted, withCommas } from '../../../words/wording.ts';
import { labelPart } from './labelPart.ts';
import { drawSvg, escaped, figure, labelled, MADE, paragraph, section, span, table, wideTable } from './markup.ts';

export async function modelSection({ metrics }: ReportData): Promise<string> {
  const { regression } = metrics;
  if (!regression) return '';
  const facts: [string, string][] = [
    ['target, family', `${regression.target}, ${familyName(regression.family)}`],
    ['sampling method', regression.method],
    [regression.label ? 'labels of the target' : 'numbers of the target', targetNumbers(regression)],
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
    ['expected log predictive density by PSIS-LOO, ± standard error', looText(regression)],
    ['effective number of parameters', decimal(regression.loo?.parameters)],
    ...PREDICTED.filter(() => !regression.label).map((name): [string, string] => [
      `posterior predictive p-value of the ${REPLICATED[name]}`,
      decimal(regression.predictive_p_values[name]),
    ]),
  ];
  const chart =
    regression.coefficients.length > 0
      ? figure(
          await drawSvg(coefficientChart(regression), 'Coefficients with 90 % intervals'),
          `Coefficients furthest from zero: posterior means and 90 % intervals. ${SHRINKAGE_NOTE}`,
        )
      : '';
  const tables =
    table([], facts) + familyTable(regression) + (await labelPart(regression)) + chart + coefficientTable(regression);
  return section('model', 'Target model', paragraph(regression.summary) + tables);
}

function familyTable({ family_choice: choice }: JobRegression): string {
  if (!choice) return '';
  const said = paragraph(`Family chosen from the data: ${familyName(choice.family)}. ${choice.reason}`);
  const rows = choice.candidates.map(({ family, log_score }) => [familyName(family), decimal(log_score)]);
  if (rows.length === 0) return said;
  const head = ['family', `log score of ${counted(choice.rows, 'row')}, in five folds (highest: best)`];
  return said + table(head, rows);
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

function coefficientTable({ coefficients }: JobRegression): string {
  if (coefficients.length === 0) return '';
  const head = ['coefficient', 'mean', '90 % interval', 'prior', 'R-hat', 'ESS, bulk', 'ESS, tail'];
  const rows = coefficients.map(({ name, mean, q05, q95, prior, r_hat, bulk_ess, tail_ess }) => [
    name,
    decimal(mean),
    `${decimal(q05)} to ${decimal(q95)}`,
    prior,
    ...[r_hat, bulk_ess, tail_ess].map(decimal),
  ]);
  return paragraph(SHRINKAGE_NOTE, 'lead') + wideTable('Coefficients', head, rows);
}

const MAX_COEFFICIENTS = 30;

/** Parameters that are not effects of columns. */
const NO_EFFECTS = new Set(['intercept', 'sigma', 'nu', 'phi', 'shape', 'alpha', 'zero_inflation', 'hurdle']);

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
