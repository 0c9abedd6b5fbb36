import type { TopLevelSpec } from 'vega-lite';
import type { LabelCalibration } from '../../../contract/labels.ts';
import type { JobRegression } from '../../../contract/regressionMetrics.ts';
import { decimal, share } from '../../../words/format.ts';
import { withCommas } from '../../../words/wording.ts';
import { drawSvg, figure, MADE, paragraph, span, table } from './markup.ts';

export async function labelPart({ label }: JobRegression): Promise<string> {
  if (!label) return '';
  const { levels, ordered, calibration } = label;
  const asked = ordered
    ? 'The levels have an order: each regression says whether a row that has none of the levels before has this one (continuation ratios).'
    : 'Each regression says whether a row that has none of the levels before has this one.';
  const rows = levels.map(({ level, rows: count }) => [level, withCommas(count)]);
  const listed = (levels.length > 2 ? paragraph(asked) : '') + table(['level', 'training rows'], rows);
  return listed + (calibration ? await calibrationPart(calibration, levels.length) : '');
}

async function calibrationPart(calibration: LabelCalibration, levels: number): Promise<string> {
  const { rows, error, error_by_chance, log_score, log_score_of_shares, accuracy } = calibration;
  const facts: [string, string][] = [
    ['held-out real rows', withCommas(rows)],
    ['mean error of the probabilities (by chance, if all were right)', `${share(error)} (${share(error_by_chance)})`],
    ['mean log score (of the shares of the labels alone)', `${decimal(log_score)} (${decimal(log_score_of_shares)})`],
    ['rows whose most probable label is theirs', share(accuracy)],
  ];
  const of = levels > 2 ? ' Each row is there once for each level.' : '';
  const title = 'Share of held-out real rows that have a level, by the probability that the model gives it';
  const drawn = figure(
    await drawSvg(reliabilityChart(calibration), title),
    `${title}, with 95 % intervals; on the line, the probabilities are right.${of}`,
  );
  return table([], facts) + (calibration.bins.length > 0 ? drawn : '');
}

function reliabilityChart({ bins }: LabelCalibration): TopLevelSpec {
  const unit = { scale: span(1, 0), type: 'quantitative' } as const;
  const x = { ...unit, field: 'predicted', axis: { title: 'probability by the model' } } as const;
  const y = { ...unit, axis: { title: 'share of rows' } } as const;
  return {
    width: 240,
    height: 240,
    layer: [
      {
        data: {
          values: [
            { predicted: 0, at: 0 },
            { predicted: 1, at: 1 },
          ],
        },
        mark: { type: 'line', stroke: '#bbb' },
        encoding: { x, y: { ...y, field: 'at' } },
      },
      {
        data: { values: bins },
        mark: { type: 'rule', stroke: '#1b1b1b' },
        encoding: { x, y: { ...y, field: 'low' }, y2: { field: 'high' } },
      },
      {
        data: { values: bins },
        mark: { type: 'point', filled: true, fill: MADE, size: 40, opacity: 1 },
        encoding: { x, y: { ...y, field: 'observed' } },
      },
    ],
  };
}
