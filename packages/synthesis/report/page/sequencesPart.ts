import type { ReportData, SequenceReport } from '../../../contract/report.ts';
import { spanOfSequences } from '../../../contract/reportScores.ts';
import { sequenceCaption, sequenceWords } from '../../../words/report.ts';
import { drawSvg, escaped, figure, MADE, paragraph, REAL, REAL_EDGE, section, span } from './markup.ts';

export async function sequencesSection({ sequences, request }: ReportData): Promise<string> {
  const drawn: string[] = [];
  for (const sequence of sequences ?? []) drawn.push(await drawing(sequence));
  const content = drawn.join('');
  return content === ''
    ? ''
    : section('sequences', 'Sequences', paragraph(sequenceWords(request.entity_col), 'lead') + content);
}

async function drawing(sequence: SequenceReport): Promise<string> {
  const { column, real, synthetic } = sequence;
  const shown = spanOfSequences(sequence);
  if (!shown) return '';
  const across = axes(shown);
  const sides = [
    ...(real.length > 0 ? [{ title: 'real', ...bands(real, across) }] : []),
    ...(synthetic ? [{ title: 'synthetic', ...lines(synthetic, across) }] : []),
  ];
  const pictures: string[] = [];
  for (const side of sides)
    pictures.push(await drawSvg({ width: 290, height: 160, ...side }, `${column}, ${side.title}`));
  const pair = `<div class="pair">${pictures.join('')}</div>`;
  return `<h3>${escaped(column)}</h3>${figure(pair, sequenceCaption(sequence))}`;
}

function axes({ rows, low, high }: NonNullable<ReturnType<typeof spanOfSequences>>) {
  const x = {
    field: 'row',
    type: 'quantitative',
    scale: span(1, Math.max(2, rows)),
    axis: { title: 'row', format: 'd', tickMinStep: 1, tickCount: 6, grid: false },
  } as const;
  const y = {
    type: 'quantitative',
    scale: { domain: low < high ? [low, high] : [low - 1, high + 1], zero: false },
    axis: { title: null, tickCount: 5 },
  } as const;
  return { x, y };
}

type Axes = ReturnType<typeof axes>;

function bands(real: SequenceReport['real'], { x, y }: Axes) {
  const band = (from: string, to: string, opacity: number) =>
    ({
      mark: { type: 'area', fill: REAL, fillOpacity: opacity },
      encoding: { x, y: { ...y, field: from }, y2: { field: to } },
    }) as const;
  const median = {
    mark: { type: 'line', stroke: REAL_EDGE, strokeWidth: 2 },
    encoding: { x, y: { ...y, field: 'q50' } },
  } as const;
  return {
    data: { values: real.map((quantiles, at) => ({ row: at + 1, ...quantiles })) },
    layer: [band('q10', 'q90', 0.45), band('q25', 'q75', 0.9), median],
  };
}

/** Dots show isolated cells. */
function lines(synthetic: NonNullable<SequenceReport['synthetic']>, { x, y }: Axes) {
  const cells = synthetic.flatMap((own, entity) => own.map((value, at) => ({ entity, row: at + 1, value })));
  return {
    data: { values: cells },
    mark: {
      type: 'line',
      stroke: MADE,
      strokeWidth: 1.2,
      strokeOpacity: 0.75,
      invalid: 'break-paths-show-domains',
      point: { filled: true, fill: MADE, size: 9 },
    } as const,
    encoding: { x, y: { ...y, field: 'value' }, detail: { field: 'entity', type: 'nominal' } } as const,
  };
}
