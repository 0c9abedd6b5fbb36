/** Pairs of columns as circles, and coefficients with their intervals. */
import type { TopLevelSpec } from 'vega-lite';
import type { JobRegression } from '../../../../domain/schema/regressionMetrics.ts';
import type { GridReport } from '../../../../domain/schema/report.ts';
import { MADE, REAL_EDGE } from '../drawSvg.ts';
import { labelled, type SIDES, shortened, span } from './axes.ts';

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
