/** A small picture of a column's distribution, and the same in words for whoever does not see it. */
import { middleRange, sharesOfQuantiles } from '../logic/histogram.ts';
import type { ColumnReport } from '../logic/roles.ts';
import { clip, counted, figure, percent } from '../logic/words.ts';

const WIDTH = 160;
const HEIGHT = 44;
const BINS = 24;
const MOST_BARS = 8;
/** Two levels are two bars, not two walls. */
const WIDEST_BAR = 26;

type Picture = NonNullable<ColumnReport['picture']>;

export function ColumnPicture({ name, picture }: Pick<ColumnReport, 'name' | 'picture'>) {
  if (!picture) return <span class="soft">nothing to draw</span>;
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
    const caption = `${figure(picture.mean)} characters on average (${picture.min} to ${picture.max})`;
    return { shares: [], said: caption, caption };
  }
  const all = picture.levels.reduce((sum, [, count]) => sum + count, picture.others) || 1;
  const named = picture.levels.slice(0, MOST_BARS);
  const rest = 1 - named.reduce((sum, [, count]) => sum + count / all, 0);
  const words = named.slice(0, 3).map(([level, count]) => `${clip(level, 18)} ${percent(count / all)}`);
  return {
    shares: [...named.map(([, count]) => count / all), ...(rest > 1e-9 ? [rest] : [])],
    said: `${counted(picture.levels.length, 'frequent level')}: ${words.join(', ')}`,
    caption: words.join(', '),
  };
}
