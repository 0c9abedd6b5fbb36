/** The parts of the page, each from its part of the data. */
import type { ColumnReport, GridReport, Judgement, ReportData } from '../../../domain/schema/report.ts';
import { counted, percent } from '../../../domain/table/wording.ts';
import { decimal, MEASURES } from '../wording.ts';
import { distanceChart, overlaid } from './charts/distributions.ts';
import { coefficientChart, scatterPair } from './charts/dots.ts';
import { contingencyTables, NUMBERED, tieMatrices } from './charts/matrices.ts';
import { drawSvg } from './drawSvg.ts';
import { escaped, figure, paragraph, section, table } from './html.ts';

const AREAS: Record<Judgement['area'], string> = {
  likeness: 'Likeness',
  usefulness: 'Usefulness',
  privacy: 'Privacy',
  text: 'Texts',
  model: 'The target’s model',
};

const GRADE_WORDS: Record<Judgement['grade'], string> = {
  good: 'good',
  mixed: 'mixed',
  poor: 'poor',
  unknown: 'not judged',
};

export function summarySection({ judgements, metrics }: ReportData): string {
  const grades = judgements.map(
    ({ area, grade, headline, sentences }) =>
      `<div class="grade ${grade}"><p><span class="word">${AREAS[area]}: ${GRADE_WORDS[grade]}</span></p><p><strong>${escaped(headline)}</strong></p>${sentences.map((sentence) => paragraph(sentence)).join('')}</div>`,
  );
  const on = metrics.measured_on ? paragraph(metrics.measured_on.summary, 'lead') : '';
  return section('summary', 'In short', `${on}<div class="grades">${grades.join('')}</div>`);
}

const KEY = `<p class="lead"><span class="key real"></span>real rows: filled bars &nbsp; <span class="key made"></span>synthetic rows: dark line or lozenge</p>`;

export async function columnsSection({ columns, columns_left_out: leftOut }: ReportData): Promise<string> {
  const blocks: string[] = [];
  for (const column of columns) blocks.push(await columnBlock(column));
  const more = leftOut > 0 ? paragraph(`${counted(leftOut, 'more column')} not drawn.`) : '';
  const said = paragraph(
    'Shares of the rows. Counts of fewer than five real rows are left out, and the outermost boxes hold all that lies beyond them: no extreme is drawn.',
    'lead',
  );
  return section('columns', 'Column by column', `${KEY}${said}<div class="columns">${blocks.join('')}</div>${more}`);
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

export async function tiesSection(report: ReportData): Promise<string> {
  const { associations, contingencies, scatters } = report;
  const parts: string[] = [];
  if (associations.columns.length > 1) {
    const tooMany =
      associations.columns.length > NUMBERED
        ? ' There are too many columns for the numbers to be printed; GET /report/{job_id}.json has them.'
        : '';
    parts.push(
      figure(
        await drawSvg(tieMatrices(associations), 'Ties between all columns, real and synthetic'),
        `Ties between columns, 0 to 1 (darker is stronger; a minus sign: the one falls where the other rises). Two numbers: Spearman’s correlation; a number and a category: correlation ratio; two categories: Cramér’s V.${tooMany}`,
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
      'ties',
      'Columns together',
      paragraph('No two columns vary together in both tables, or there are too few of them.'),
    );
  const said = paragraph(
    'The strongest ties follow the matrices. The area of a circle is a share of the rows; boxes of fewer than five real rows are left blank.',
    'lead',
  );
  return section('ties', 'Columns together', said + parts.join(''));
}

const captionOf = ({ x, y, measure, strength_real, strength_synthetic }: GridReport): string =>
  `${x.column} (across) and ${y.column}: ${MEASURES[measure]} ${decimal(strength_real)} real, ${decimal(strength_synthetic)} synthetic.`;

export async function privacySection({ distances }: ReportData): Promise<string> {
  if (!distances)
    return section(
      'privacy',
      'Nearness to real rows',
      paragraph('There is no number or category to measure distances by, or there are too few rows.'),
    );
  const { rows } = distances;
  const beside =
    distances.beside === 'held-out rows'
      ? `beside ${counted(rows.real, 'real row')} that no model saw`
      : `beside ${counted(rows.real, 'real row')} that were learnt from, each with the nearest other one`;
  const caption = `Distance of ${counted(rows.synthetic, 'synthetic row')} (line; median ${decimal(distances.median_synthetic)}) to the nearest of ${counted(rows.training, 'row')} that were learnt from, ${beside} (filled bars; median ${decimal(distances.median_real)}). 0 is a copy; 1 is a row that differs in all columns. A line well to the left of the bars would be a sign of copying.`;
  return section('privacy', 'Nearness to real rows', figure(await drawSvg(distanceChart(distances), caption), caption));
}

export async function modelSection({ metrics }: ReportData): Promise<string> {
  const { regression } = metrics;
  if (!regression) return '';
  const facts: [string, string][] = [
    ['target, family', `${regression.target}, ${regression.family.replaceAll('_', ' ')}`],
    ['how it was sampled', regression.method],
    ['largest R-hat (below 1.01 is converged)', decimal(regression.worst_r_hat)],
    [
      'least effective sample size, bulk and tail',
      `${decimal(regression.least_bulk_ess)}, ${decimal(regression.least_tail_ess)}`,
    ],
    ['divergences; trajectories cut off', `${regression.divergences}; ${regression.depth_exceeded}`],
    ['least E-BFMI (below 0.2 is suspicious)', decimal(regression.least_e_bfmi)],
    ['Pareto k of importance weights (below 0.7 is good)', decimal(regression.pareto_k)],
    ...Object.entries(regression.predictive_p_values).map(([name, value]): [string, string] => [
      `share of replicated tables whose ${REPLICATED[name] ?? name} is at least the real one’s`,
      decimal(value),
    ]),
  ];
  const chosen = regression.family_choice
    ? paragraph(`The family was chosen by the data: ${regression.family_choice.family}.`)
    : '';
  const chart =
    regression.coefficients.length > 0
      ? figure(
          await drawSvg(coefficientChart(regression), 'Coefficients with 90 % intervals'),
          'The clearest coefficients: posterior means and 90 % intervals.',
        )
      : '';
  return section(
    'model',
    'How the target was fitted',
    paragraph(regression.summary) + chosen + table([], facts) + chart,
  );
}

export function textsSection({ text_samples: samples, columns }: ReportData): string {
  if (!columns.some(({ role }) => role === 'text')) return '';
  if (samples === null)
    return section(
      'texts',
      'Synthetic texts',
      paragraph('The rows are withheld by the release policy, and these with them.'),
    );
  const blocks = samples.map(
    ({ column, texts }) =>
      `<h3>${escaped(column)}</h3>${texts.map((text) => `<blockquote>${escaped(text)}</blockquote>`).join('')}`,
  );
  return section(
    'texts',
    'Synthetic texts',
    paragraph('The first of the table, as the model wrote them.', 'lead') + blocks.join(''),
  );
}

const REPLICATED: Record<string, string> = {
  sd: 'standard deviation',
  zeros: 'number of zeros',
  least: 'least value',
  greatest: 'greatest value',
};
