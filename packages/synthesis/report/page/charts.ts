import type { TopLevelSpec } from 'vega-lite';
import type { Axis, DistancesReport, GridReport } from '../../../contract/report.ts';
import { clip } from '../../../words/format.ts';
import { labelled, MADE, REAL, REAL_EDGE, SIDES, span, type Ticks } from './markup.ts';

// Synthetic rows are a line or diamonds over bars.

const SHARE = { format: '.0%', tickCount: 3, title: null };

interface Overlaid {
  axis: Axis;
  real: readonly number[] | null;
  synthetic: readonly number[];
}

export const overlaid = ({ axis, real, synthetic }: Overlaid): TopLevelSpec =>
  axis.kind === 'levels' ? overlaidLevels(axis, real, synthetic) : overlaidNumbers(axis, real, synthetic);

function overlaidNumbers(axis: Axis, real: readonly number[] | null, synthetic: readonly number[]): TopLevelSpec {
  const bars = (real ?? []).map((share, at) => ({ from: at, to: at + 1, share }));
  const steps = [...synthetic.map((share, at) => ({ at, share })), { at: axis.bins, share: synthetic.at(-1) ?? 0 }];
  const x = {
    type: 'quantitative',
    scale: span(0, axis.bins),
    axis: { ...labelled(axis.ticks), title: null, grid: false, labelFlush: true },
  } as const;
  return {
    width: 340,
    height: 110,
    layer: [
      {
        data: { values: bars },
        mark: { type: 'rect', fill: REAL, stroke: REAL_EDGE, strokeWidth: 0.5 },
        encoding: {
          x: { ...x, field: 'from' },
          x2: { field: 'to' },
          y: { field: 'share', type: 'quantitative' },
          y2: { datum: 0 },
        },
      },
      {
        data: { values: steps },
        mark: { type: 'line', interpolate: 'step-after', stroke: MADE, strokeWidth: 1.8 },
        encoding: {
          x: { ...x, field: 'at' },
          y: { field: 'share', type: 'quantitative', axis: SHARE, scale: { zero: true } },
        },
      },
    ],
  };
}

function overlaidLevels(axis: Axis, real: readonly number[] | null, synthetic: readonly number[]): TopLevelSpec {
  const rows = synthetic.map((share, at) => ({
    from: at + 0.15,
    to: at + 0.85,
    at: at + 0.5,
    made: share,
    real: real?.[at] ?? 0,
  }));
  const y = {
    type: 'quantitative',
    scale: span(axis.bins, 0),
    axis: { ...labelled(axis.ticks), title: null, grid: false, ticks: false },
  } as const;
  return {
    width: 250,
    height: Math.max(40, 16 * axis.bins),
    data: { values: rows },
    layer: [
      {
        mark: { type: 'rect', fill: REAL, stroke: REAL_EDGE, strokeWidth: 0.5 },
        encoding: {
          y: { ...y, field: 'from' },
          y2: { field: 'to' },
          x: { field: 'real', type: 'quantitative' },
          x2: { datum: 0 },
        },
      },
      {
        mark: { type: 'point', shape: 'diamond', filled: true, fill: MADE, size: 55, opacity: 1 },
        encoding: {
          y: { ...y, field: 'at' },
          x: { field: 'made', type: 'quantitative', axis: SHARE, scale: { zero: true } },
        },
      },
    ],
  };
}

export const distanceChart = ({ axis, real, synthetic }: DistancesReport): TopLevelSpec => ({
  ...overlaidNumbers(axis, real, synthetic),
  width: 480,
});

interface MatrixCell {
  x: number;
  y: number;
  value: number;
  text: string;
}

/** Real rows on the left. */
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
  /** Value drawn darkest. */
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
        mark: { type: 'rect', fill: '#3f3f3f', stroke: '#d9d9d9', strokeWidth: 0.5 },
        encoding: {
          x: { ...x, field: 'x0' },
          x2: { field: 'x1' },
          y: { ...y, field: 'y0' },
          y2: { field: 'y1' },
          fillOpacity: {
            field: 'strength',
            type: 'quantitative',
            scale: { domain: [0, 1], range: [0, 1], clamp: true },
            legend: null,
          },
        },
      },
      ...(look.hasNumbers ? [numbers] : []),
    ],
  } satisfies TopLevelSpec;
}
