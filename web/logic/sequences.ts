import type { SequenceReport } from '../../packages/contract/report.ts';
import { spanOfSequences } from '../../packages/contract/reportScores.ts';

export interface Size {
  width: number;
  height: number;
}

interface SequencePicture {
  rows: number;
  low: number;
  high: number;
  /** Outlines of bands and the median line, or null. */
  real: { outer: string; inner: string; median: string } | null;
  /** Lines per entity, and dots for isolated cells; null while withheld. */
  synthetic: { lines: string[]; dots: [x: number, y: number][] } | null;
}

/** Undefined without data. */
export function sequencePicture(sequence: SequenceReport, { width, height }: Size): SequencePicture | undefined {
  const shown = spanOfSequences(sequence);
  if (!shown) return undefined;
  const { rows, low, high } = shown;
  const x = (at: number): number => round((at / Math.max(1, rows - 1)) * width);
  const y = (value: number): number =>
    round(high > low ? height - ((value - low) / (high - low)) * height : height / 2);
  const path = (values: readonly (number | null)[]): string => pathOf(values, x, y);
  const { real, synthetic } = sequence;
  const outline = (from: number[], to: number[]): string =>
    `${path(from)}${[...to.keys()]
      .reverse()
      .map((at) => `L${x(at)} ${y(to[at]!)}`)
      .join('')}Z`;
  const of = (key: keyof (typeof real)[number]): number[] => real.map((band) => band[key]);
  return {
    ...shown,
    real:
      real.length === 0
        ? null
        : { outer: outline(of('q10'), of('q90')), inner: outline(of('q25'), of('q75')), median: path(of('q50')) },
    synthetic: synthetic && {
      lines: synthetic.map(path),
      dots: synthetic.flatMap((own) =>
        own.flatMap((value, at): [number, number][] => (value !== null && isAlone(own, at) ? [[x(at), y(value)]] : [])),
      ),
    },
  };
}

const round = (value: number): number => Math.round(value * 10) / 10;

const isAlone = (own: readonly (number | null)[], at: number): boolean =>
  (own[at - 1] ?? null) === null && (own[at + 1] ?? null) === null;

/** Interrupted by missing cells. */
function pathOf(values: readonly (number | null)[], x: (at: number) => number, y: (value: number) => number): string {
  return values
    .map((value, at) => (value === null ? '' : `${(values[at - 1] ?? null) === null ? 'M' : 'L'}${x(at)} ${y(value)}`))
    .join('');
}
