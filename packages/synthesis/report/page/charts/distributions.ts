/** One column, or one distance: real rows as filled bars, synthetic ones as a dark line or diamonds over them. */
import type { TopLevelSpec } from 'vega-lite';
import type { Axis, DistancesReport } from '../../../../contract/report.ts';
import { labelled, MADE, REAL, REAL_EDGE, span } from '../drawSvg.ts';

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
