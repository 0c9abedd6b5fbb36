/** Associations of all columns, and shares of two categories, as tables of numbers that are the darker the larger. */
import type { TopLevelSpec } from 'vega-lite';
import type { GridReport, ReportData } from '../../../../contract/report.ts';
import { clip } from '../../../../words/format.ts';
import { labelled, SIDES, span, type Ticks } from '../drawSvg.ts';

interface MatrixCell {
  x: number;
  y: number;
  value: number;
  text: string;
}

/** Columns of a matrix from which on its numbers have no room. */
export const NUMBERED = 24;

/** Associations of all columns, real on the left and synthetic on the right. */
export function associationMatrices({ columns, matrices }: ReportData['associations']): TopLevelSpec {
  const size = columns.length > NUMBERED ? 12 : columns.length > 14 ? 22 : 28;
  const shown = columns.map((name) => clip(name, 18));
  const cells = (side: (typeof SIDES)[number]): MatrixCell[] =>
    matrices
      .filter(({ measure }) => measure !== 'pearson')
      .flatMap(({ pairs }) =>
        pairs.flatMap((pair) => {
          const value = pair[side];
          const [a, b] = pair.columns;
          if (value === null) return [];
          const text = value.toFixed(2).replace('0.', '.').replace('-', '−');
          return [
            { x: a, y: b, value, text },
            { x: b, y: a, value, text },
          ];
        }),
      );
  return {
    hconcat: SIDES.map((side) =>
      matrix(cells(side), shown, shown, size, {
        title: side,
        most: 1,
        hasNumbers: columns.length <= NUMBERED,
        isFirst: side === 'real',
      }),
    ),
    spacing: 24,
  };
}

/** Shares of the rows by both categories, real on the left and synthetic on the right. */
export function contingencyTables(grid: GridReport): TopLevelSpec {
  const cells = (side: (typeof SIDES)[number]): MatrixCell[] =>
    grid[side].map((value, at) => ({
      x: Math.floor(at / grid.y.bins),
      y: at % grid.y.bins,
      value,
      text: value < 0.0005 ? '' : (100 * value).toFixed(value < 0.0995 ? 1 : 0),
    }));
  const [across, down] = [grid.x, grid.y].map(({ ticks }) => ticks.map(({ text }) => clip(text, 18)));
  const most = Math.max(1e-9, ...grid.real, ...grid.synthetic);
  return {
    hconcat: SIDES.map((side) =>
      matrix(cells(side), across ?? [], down ?? [], 32, {
        title: `${side}, % of rows`,
        most,
        hasNumbers: true,
        isFirst: side === 'real',
      }),
    ),
    spacing: 24,
  };
}

interface MatrixLook {
  title: string;
  /** The value that is drawn darkest. */
  most: number;
  hasNumbers: boolean;
  isFirst: boolean;
}

function matrix(
  cells: readonly MatrixCell[],
  across: readonly string[],
  down: readonly string[],
  size: number,
  look: MatrixLook,
) {
  const boxes = cells.map(({ x, y, value, text }) => ({
    x0: x + 0.03,
    x1: x + 0.97,
    y0: y + 0.03,
    y1: y + 0.97,
    x: x + 0.5,
    y: y + 0.5,
    strength: Math.abs(value) / look.most,
    text,
  }));
  const ticksOf = (names: readonly string[]): Ticks => names.map((text, at) => ({ at: at + 0.5, text }));
  const plain = { title: null, grid: false, ticks: false, domain: false } as const;
  const x = {
    type: 'quantitative',
    scale: span(0, across.length),
    axis: {
      ...plain,
      ...labelled(ticksOf(across)),
      labelAngle: -60,
      labelAlign: 'right',
      labelBaseline: 'middle',
      labelOverlap: false,
    },
  } as const;
  const y = {
    type: 'quantitative',
    scale: span(down.length, 0),
    axis: { ...plain, ...labelled(ticksOf(down)), labels: look.isFirst, labelOverlap: false },
  } as const;
  const numbers = {
    mark: { type: 'text', fontSize: size > 24 ? 9 : 7.5, baseline: 'middle' },
    encoding: {
      x: { ...x, field: 'x' },
      y: { ...y, field: 'y' },
      text: { field: 'text', type: 'nominal' },
      color: { condition: { test: 'datum.strength > 0.6', value: '#fff' }, value: '#1b1b1b' },
    },
  } as const;
  return {
    title: look.title,
    width: size * across.length,
    height: size * down.length,
    data: { values: boxes },
    layer: [
      {
        mark: { type: 'rect', stroke: '#d9d9d9', strokeWidth: 0.5 },
        encoding: {
          x: { ...x, field: 'x0' },
          x2: { field: 'x1' },
          y: { ...y, field: 'y0' },
          y2: { field: 'y1' },
          fill: {
            field: 'strength',
            type: 'quantitative',
            scale: { domain: [0, 1], range: ['#ffffff', '#3f3f3f'], clamp: true },
            legend: null,
          },
        },
      },
      ...(look.hasNumbers ? [numbers] : []),
    ],
  } satisfies TopLevelSpec;
}
