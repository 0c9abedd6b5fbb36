import type { TopLevelSpec } from 'vega-lite';
import type { GridReport, ReportData } from '../../../contract/report.ts';
import { associationCells, chanceOf, largestGaps } from '../../../contract/reportScores.ts';
import { clip, decimal } from '../../../words/format.ts';
import { MEASURES } from '../../../words/report.ts';
import { counted, withCommas } from '../../../words/wording.ts';
import { contingencyTables } from './charts.ts';
import {
  drawSvg,
  labelled,
  MADE,
  paragraph,
  REAL_EDGE,
  type SIDES,
  section,
  span,
  wideFigure,
  wideTable,
} from './markup.ts';
import { differenceMatrix, strengthMatrix } from './matrices.ts';

export async function associationsSection(report: ReportData): Promise<string> {
  const { associations, contingencies, scatters } = report;
  const pairs: string[] = [];
  for (const grid of scatters) pairs.push(await wideDrawing(scatterPair(grid), grid));
  for (const grid of contingencies) pairs.push(await wideDrawing(contingencyTables(grid), grid));
  const parts = [matrices(associations), largestDifferences(associations)];
  if (pairs.length > 0) {
    const said = 'The area of a circle is a share of rows; cells with fewer than five real rows are left blank.';
    parts.push('<h3>Strongest associations</h3>', paragraph(said, 'lead'), ...pairs);
  }
  const none = paragraph('There are too few columns that vary to measure associations.');
  return section('associations', 'Associations', parts.join('') || none);
}

const wideDrawing = async (spec: TopLevelSpec, grid: GridReport): Promise<string> =>
  wideFigure(await drawSvg(spec, captionOf(grid)), captionOf(grid), `${grid.x.column} and ${grid.y.column}`);

const MEASURED =
  'Two numbers: Spearman’s correlation. A number and a category: correlation ratio. Two categories: Cramér’s V.';

function matrices(associations: ReportData['associations']): string {
  const { columns, rows, differences } = associations;
  if (associationCells(associations).length === 0) return '';
  const { svg, scale } = differenceMatrix(associations);
  const all = differences?.columns.length ?? columns.length;
  const some =
    all > columns.length ? ` Of ${withCommas(all)} columns, the ${columns.length} whose associations differ most.` : '';
  const said = [
    MEASURED,
    ...(rows
      ? [
          `${counted(rows.real, 'real row')} and ${withCommas(rows.synthetic)} synthetic: chance alone moves a weak correlation by up to ${decimal(chanceOf(rows))} (95 %).`,
        ]
      : []),
    ...(differences
      ? [`Mean size of the difference over ${counted(differences.pairs, 'pair')}: ${decimal(differences.mean)}.`]
      : []),
  ];
  const captions = [
    `Synthetic minus real, on a scale of −${decimal(scale)} to +${decimal(scale)}.${some}`,
    `Below the diagonal the real rows, above it the synthetic ones: from 0 to 1, darker is stronger; a minus sign is a negative correlation.`,
  ] as const;
  return (
    paragraph(said.join(' '), 'lead') +
    wideFigure(svg, captions[0], 'Matrix of differences') +
    wideFigure(strengthMatrix(associations), captions[1], 'Matrix of associations')
  );
}

const NAMED_PAIRS = 15;

function largestDifferences(associations: ReportData['associations']): string {
  const rows = largestGaps(associations, NAMED_PAIRS).map(({ columns: [a, b], real, synthetic, measure }) => [
    `${a}, ${b}`,
    decimal(real),
    decimal(synthetic),
    decimal(synthetic - real),
    MEASURES[measure],
  ]);
  if (rows.length === 0) return '';
  const head = ['columns', 'real', 'synthetic', 'difference', 'measure'];
  return `<h3>Largest differences</h3>${wideTable('Largest differences', head, rows, 'numbers')}`;
}

const captionOf = ({ x, y, measure, strength_real, strength_synthetic }: GridReport): string =>
  `${x.column} (horizontal) and ${y.column}: ${MEASURES[measure]} ${decimal(strength_real)} real, ${decimal(strength_synthetic)} synthetic.`;

/** In characters. */
const MAX_TITLE = 34;

/** Circle areas are shares of rows. */
function scatterPair(grid: GridReport): TopLevelSpec {
  const most = Math.max(1e-9, ...grid.real, ...grid.synthetic);
  const side = (name: (typeof SIDES)[number], { isFirst }: { isFirst: boolean }) => {
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
  return { hconcat: [side('real', { isFirst: true }), side('synthetic', { isFirst: false })], spacing: 20 };
}
