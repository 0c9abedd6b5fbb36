import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { ReportData, SequenceReport } from '../../packages/contract/report.ts';
import { decimal } from '../../packages/words/format.ts';
import { sequenceCaption, sequenceWords } from '../../packages/words/report.ts';
import { sequencePicture } from '../logic/sequences.ts';

export function SequencesPanel({ report: { sequences, request } }: { report: ReportData }) {
  const id = useId();
  if (!sequences || sequences.length === 0) return null;
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>Sequences</h2>
      <p class="soft small">{sequenceWords(request.entity_col)}</p>
      <div class="beside">
        {sequences.map((sequence) => (
          <Pair key={sequence.column} sequence={sequence} />
        ))}
      </div>
    </section>
  );
}

const WIDTH = 320;
const HEIGHT = 130;
const TOP = 14;

function Pair({ sequence }: { sequence: SequenceReport }) {
  const { column } = sequence;
  const picture = sequencePicture(sequence, { width: WIDTH, height: HEIGHT - TOP });
  if (!picture) return null;
  const { real, synthetic } = picture;
  return (
    <figure class="chart sequence">
      <h3>{column}</h3>
      <div class="pictures">
        {real && (
          <Side title="real" column={column} {...picture}>
            <path class="outer" d={real.outer} />
            <path class="inner" d={real.inner} />
            <path class="median" d={real.median} />
          </Side>
        )}
        {synthetic && (
          <Side title="synthetic" column={column} {...picture}>
            {synthetic.lines.map((line, at) => (
              <path key={at} class="made thin" d={line} />
            ))}
            {synthetic.dots.map(([x, y], at) => (
              <circle key={at} class="made" cx={x} cy={y} r={2} />
            ))}
          </Side>
        )}
      </div>
      <figcaption>{sequenceCaption(sequence)}</figcaption>
    </figure>
  );
}

interface SideProps {
  title: string;
  column: string;
  rows: number;
  low: number;
  high: number;
  children: ComponentChildren;
}

/** Both sides share a scale. */
function Side({ title, column, rows, low, high, children }: SideProps) {
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 18}`} role="img" aria-label={`${column}, ${title}`}>
      <text x={0} y={TOP - 3}>
        {decimal(high)}
      </text>
      <text x={WIDTH} y={TOP - 3} text-anchor="end">
        {title}
      </text>
      <line x1={0} x2={WIDTH} y1={TOP} y2={TOP} class="faint" />
      <g transform={`translate(0 ${TOP})`}>{children}</g>
      <line x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
      <text x={0} y={HEIGHT + 14}>
        {decimal(low)}, row 1
      </text>
      <text x={WIDTH} y={HEIGHT + 14} text-anchor="end">
        row {rows}
      </text>
    </svg>
  );
}
