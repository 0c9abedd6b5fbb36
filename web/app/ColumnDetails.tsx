import { useState } from 'preact/hooks';
import { clip, decimal } from '../../packages/words/format.ts';
import { counted, percent, withCommas } from '../../packages/words/wording.ts';
import { middleRange, sharesOfQuantiles } from '../logic/histogram.ts';
import { type ColumnReport, KIND_WORDS } from '../logic/roles.ts';

interface Props {
  columns: readonly ColumnReport[];
  rows: number;
}

/** Rendered when first opened. */
export function ColumnDetails({ columns, rows }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Columns in detail</summary>
      {isOpen && (
        <ul class="columns" aria-label="Columns">
          {columns.map((column) => (
            <ColumnRow key={column.name} column={column} rows={rows} />
          ))}
        </ul>
      )}
    </details>
  );
}

function ColumnRow({ column, rows }: { column: ColumnReport; rows: number }) {
  const { name, kind, missing, distinct, evidence } = column;
  return (
    <li class="column">
      <strong class="breaks">{name}</strong>
      <div>
        {KIND_WORDS[kind]}
        <div class="soft small">{counted(distinct, 'distinct value')}</div>
      </div>
      <ColumnPicture name={name} picture={column.picture} />
      <div class="small">
        {missing === 0 ? (
          <span class="soft">none missing</span>
        ) : (
          `${percent(missing / Math.max(1, rows))} missing (${withCommas(missing)})`
        )}
      </div>
      <div class="soft small why">{evidence.join('; ') || 'no values'}</div>
    </li>
  );
}

// A small chart, with the same in words for screen readers.

const WIDTH = 160;
const HEIGHT = 44;
const BINS = 24;
const MAX_BARS = 8;
/** Keeps two levels from filling the chart. */
const WIDEST_BAR = 26;

type Picture = NonNullable<ColumnReport['picture']>;

function ColumnPicture({ name, picture }: Pick<ColumnReport, 'name' | 'picture'>) {
  if (!picture) return <span class="soft">no chart</span>;
  const { shares, said, caption } = drawn(picture);
  if (shares.length === 0) return <span class="soft">{caption}</span>;
  const most = Math.max(...shares, 1e-9);
  const step = Math.min(WIDEST_BAR, WIDTH / shares.length);
  return (
    <figure class="picture">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Distribution of ${name}: ${said}`}>
        {shares.map((share, at) => {
          const height = Math.max(share > 0 ? 1.5 : 0, (share / most) * (HEIGHT - 2));
          return <rect key={at} x={at * step + 0.5} y={HEIGHT - height} width={step - 1} height={height} />;
        })}
        <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      </svg>
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

function drawn(picture: Picture): { shares: number[]; said: string; caption: string } {
  if (picture.kind === 'quantiles') {
    const { probabilities, values, low, middle, high } = picture;
    const shares = sharesOfQuantiles(probabilities, values, middleRange(probabilities, values), BINS);
    return { shares, said: `from ${low} to ${high}, median ${middle}`, caption: `${low} – ${high}, median ${middle}` };
  }
  if (picture.kind === 'lengths') {
    const caption = `${decimal(picture.mean)} characters on average (${picture.min} to ${picture.max})`;
    return { shares: [], said: caption, caption };
  }
  const all = picture.levels.reduce((sum, [, count]) => sum + count, picture.others) || 1;
  const named = picture.levels.slice(0, MAX_BARS);
  const rest = 1 - named.reduce((sum, [, count]) => sum + count / all, 0);
  const words = named.slice(0, 3).map(([level, count]) => `${clip(level, 18)} ${percent(count / all)}`);
  return {
    shares: [...named.map(([, count]) => count / all), ...(rest > 1e-9 ? [rest] : [])],
    said: `${counted(picture.levels.length, 'frequent level')}: ${words.join(', ')}`,
    caption: words.join(', '),
  };
}
