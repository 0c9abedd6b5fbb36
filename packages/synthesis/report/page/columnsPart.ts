import type { ColumnReport, ReportData } from '../../../contract/report.ts';
import { overlapOf, scoresOf } from '../../../contract/reportScores.ts';
import { decimal, share } from '../../../words/format.ts';
import { distanceWords } from '../../../words/report.ts';
import { counted, listed, percent, quoted, withCommas } from '../../../words/wording.ts';
import { overlaid } from './charts.ts';
import { drawSvg, escaped, paragraph, section, wideTable } from './markup.ts';

export function scoresSection(report: ReportData): string {
  const { rows, metrics, columns_left_out: leftOut } = report;
  const scores = scoresOf(report).toSorted((a, b) => (a.overlap ?? 2) - (b.overlap ?? 2));
  if (scores.length === 0) return '';
  const compared = metrics.fidelity?.one_way.rows;
  const said = [
    `The least overlap first. Overlap is the share that both distributions have in common: ${counted(rows.real, 'real row')} and ${withCommas(rows.synthetic)} synthetic. For comparison: the overlap of two random samples of the real data.`,
    ...(compared === undefined
      ? []
      : [
          distanceWords(
            compared,
            scores.map(({ distance }) => distance),
          ),
        ]),
    ...(leftOut > 0 ? [`${counted(leftOut, 'more column')} not listed.`] : []),
  ];
  const head = [
    'column',
    'overlap',
    'of real samples',
    'distance',
    'missing, real',
    'missing, synthetic',
    'associations differ by',
  ];
  const lines = scores.map((score) => [
    score.name,
    share(score.overlap),
    share(score.chance),
    decimal(score.distance),
    share(score.missing_real),
    share(score.missing_synthetic),
    decimal(score.associations),
  ]);
  return section(
    'scores',
    'Scores by column',
    paragraph(said.join(' '), 'lead') + wideTable('Scores by column', head, lines, 'numbers'),
  );
}

/** Maximum charts; prefers the least overlap. */
const MAX_DRAWN = 60;

const KEY = `<p class="lead keys"><span><span class="key real"></span>real rows: filled bars</span> <span><span class="key made"></span>synthetic rows: line or diamond</span></p>`;

export async function columnsSection({ columns }: ReportData): Promise<string> {
  const charted = columns.filter(({ axis }) => axis !== null);
  const drawn = drawnOf(charted);
  const blocks: string[] = [];
  for (const column of drawn) blocks.push(await columnBlock(column));
  const left = charted.length - drawn.length;
  const some =
    left > 0
      ? ` The ${withCommas(drawn.length)} columns that overlap least; ${withCommas(left)} others are not drawn.`
      : '';
  const said = paragraph(
    `Shares of rows. Counts below five real rows are left out, and the first and last bins hold everything beyond them, so no extreme value is shown.${some}`,
    'lead',
  );
  return section(
    'columns',
    'Distributions',
    `${said}${KEY}<div class="columns">${blocks.join('')}</div>${uncharted(columns)}`,
  );
}

function uncharted(columns: readonly ColumnReport[]): string {
  const byReason = new Map<string, string[]>();
  for (const { axis, name, reason } of columns) {
    if (axis === null) byReason.set(reason ?? '', [...(byReason.get(reason ?? '') ?? []), quoted(name)]);
  }
  return [...byReason].map(([reason, names]) => paragraph(`${listed(names, 20)}: ${reason}`)).join('');
}

function drawnOf(columns: readonly ColumnReport[]): readonly ColumnReport[] {
  if (columns.length <= MAX_DRAWN) return columns;
  return columns.toSorted((a, b) => (overlapOf(a) ?? 2) - (overlapOf(b) ?? 2)).slice(0, MAX_DRAWN);
}

async function columnBlock(column: ColumnReport): Promise<string> {
  const { name, role, axis, real, synthetic, missing_real, missing_synthetic, reason } = column;
  const overlap = overlapOf(column);
  const facts = [
    axis?.kind === 'characters' ? 'length in characters' : role,
    ...(overlap === null ? [] : [`overlap ${percent(overlap)}`]),
    ...(missing_real > 0 || missing_synthetic > 0
      ? [`missing: ${percent(missing_real)} real, ${percent(missing_synthetic)} synthetic`]
      : []),
  ];
  const head = `<h3>${escaped(name)}</h3>${paragraph(facts.join('; '), 'lead')}`;
  const drawing = axis
    ? await drawSvg(overlaid({ axis, real, synthetic }), `${name}: shares of real and of synthetic rows`)
    : '';
  return `<div class="column">${head}${drawing && `<figure>${drawing}</figure>`}${reason ? paragraph(reason) : ''}</div>`;
}
