/**
 * The drawings of a report. Real rows are filled bars or stand on the left, synthetic ones are a dark line, a lozenge, or
 * stand on the right: nothing is told by colour alone.
 */
import type { TopLevelSpec } from 'vega-lite';
import type { JobRegression } from '../../../domain/schema/regressionMetrics.ts';
import type { Axis, DistancesReport, GridReport, ReportData } from '../../../domain/schema/report.ts';
import { MADE, REAL, REAL_EDGE } from './drawSvg.ts';

type Ticks = Axis['ticks'];

/** Names at places of an axis, as an expression over literals. */
function labelled(ticks: Ticks) {
  const [places, texts] = [ticks.map(({ at }) => at), ticks.map(({ text }) => text)];
  return {
    values: places,
    labelExpr: `${JSON.stringify(texts)}[indexof(${JSON.stringify(places)}, datum.value)]`,
  };
}

/** A scale from one end to the other, and no further. */
const span = (from: number, to: number): { domain: number[]; nice: false } => ({ domain: [from, to], nice: false });

const SHARE = { format: '.0%', tickCount: 3, title: null };

interface Overlaid {
  axis: Axis;
  real: readonly number[] | null;
  synthetic: readonly number[];
}

export const overlaid = ({ axis, real, synthetic }: Overlaid): TopLevelSpec =>
  axis.kind === 'levels' ? overlaidLevels(axis, real, synthetic) : overlaidNumbers(axis, real, synthetic);

/** Bars, and a line in steps over them. */
function overlaidNumbers(axis: Axis, real: readonly number[] | null, synthetic: readonly number[]): TopLevelSpec {
  const bars = (real ?? []).map((share, at) => ({ from: at, to: at + 1, share }));
  const steps = [...synthetic.map((share, at) => ({ at, share })), { at: axis.bins, share: synthetic.at(-1) ?? 0 }];
  const x = {
    type: 'quantitative',
    scale: span(0, axis.bins),
    axis: { ...labelled(axis.ticks), title: null, grid: false, labelFlush: true },
  } as const;
  return {
    width: 300,
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
    width: 220,
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

const shortened = (name: string): string => (name.length > 34 ? `${name.slice(0, 33)}…` : name);

const SIDES = ['real', 'synthetic'] as const;

interface MatrixCell {
  x: number;
  y: number;
  value: number;
  text: string;
}

/** Columns of a matrix from which on its numbers have no room. */
export const NUMBERED = 24;

/** Ties of all columns, real on the left and synthetic on the right. */
export function tieMatrices({ columns, matrices }: ReportData['associations']): TopLevelSpec {
  const size = columns.length > NUMBERED ? 12 : columns.length > 14 ? 22 : 28;
  const shown = columns.map((name) => (name.length > 18 ? `${name.slice(0, 17)}…` : name));
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
      text: value === 0 ? '' : (100 * value).toFixed(value < 0.0995 ? 1 : 0),
    }));
  const [across, down] = [grid.x, grid.y].map(({ ticks }) =>
    ticks.map(({ text }) => (text.length > 18 ? `${text.slice(0, 17)}…` : text)),
  );
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

/** How often two columns have what together: the larger a circle, the more rows. */
export function scatterPair(grid: GridReport): TopLevelSpec {
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
          axis: { ...labelled(grid.x.ticks), title: shortened(grid.x.column), grid: true, labelFlush: true },
        },
        y: {
          field: 'y',
          type: 'quantitative',
          scale: isDown ? span(grid.y.bins, 0) : span(0, grid.y.bins),
          axis: {
            ...labelled(grid.y.ticks),
            title: isFirst ? shortened(grid.y.column) : null,
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

const MOST_COEFFICIENTS = 30;

/** Parameters that say nothing of another column. */
const NO_EFFECTS = new Set(['intercept', 'sigma', 'nu', 'phi', 'shape', 'alpha', 'zero_inflation', 'hurdle']);

/** Means and 90 % intervals of the largest coefficients. */
export function coefficientChart({ coefficients }: JobRegression): TopLevelSpec {
  const shown = coefficients
    .filter(({ name }) => !NO_EFFECTS.has(name) && !/^tree \d/.test(name))
    .filter(({ q05, q95 }) => Number.isFinite(q95 - q05))
    .toSorted((a, b) => Math.abs(b.mean) / (b.sd || 1) - Math.abs(a.mean) / (a.sd || 1))
    .slice(0, MOST_COEFFICIENTS);
  const ticks = shown.map(({ name }, at) => ({
    at: at + 0.5,
    text: name.length > 40 ? `${name.slice(0, 39)}…` : name,
  }));
  const values = shown.map(({ mean, q05, q95 }, at) => ({ at: at + 0.5, mean, q05, q95 }));
  const y = {
    field: 'at',
    type: 'quantitative',
    scale: span(shown.length, 0),
    axis: { ...labelled(ticks), title: null, grid: false, ticks: false, labelLimit: 220, labelOverlap: false },
  } as const;
  const x = { type: 'quantitative', axis: { title: 'coefficient, on the model’s scale' } } as const;
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
