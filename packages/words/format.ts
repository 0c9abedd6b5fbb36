import { percent, withCommas } from './wording.ts';

/** Keeps a number and its unit on one line. */
const SPACE = '\u00a0';

/** "0.591", "386", "12,345", "2.5 million"; up to three decimals below 100, "below 0.001", or "–". */
export function decimal(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size > 0 && size < 0.001) return value > 0 ? 'below 0.001' : 'above −0.001';
  if (size >= 1e15) return value.toExponential(2).replace('e+', ' × 10^');
  return (size >= 1e6 ? LARGE : size >= 100 ? WHOLE : SMALL).format(value).replace('-', '−');
}

/** "0.41 to 0.46", one figure if both look alike, or "–". */
export function interval(low: number | null, high: number | null): string {
  const [from, to] = [decimal(low), decimal(high)];
  return from === to ? from : `${from} to ${to}`;
}

const SMALL = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });
const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const LARGE = new Intl.NumberFormat('en', {
  notation: 'compact',
  compactDisplay: 'long',
  maximumSignificantDigits: 3,
});

/** Percentage of a share, or "–". */
export const share = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : percent(value);

/** "512 bytes", "50 MB" (1,024 KB of 1,024 bytes). */
export function bytes(count: number): string {
  if (count < 1024) return `${withCommas(count)} bytes`;
  const [size, unit] = count < 2 ** 20 ? [count / 1024, 'KB'] : [count / 2 ** 20, 'MB'];
  return `${withCommas(Number(size.toPrecision(3)))} ${unit}`;
}

/** "42 s", "3 min 05 s", "1 h 02 min" */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 60) return `${seconds}${SPACE}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} min`;
}

/** "a second", "42 s", "3 min", "1 h 02 min". */
export function roughTime(seconds: number): string {
  if (seconds < 1.5) return 'a second';
  if (seconds < 90) return duration(1000 * Math.round(seconds));
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes}${SPACE}min` : duration(60_000 * minutes);
}

/** "$0.006", "$1.20" */
export const dollars = (usd: number): string => `$${usd.toFixed(usd < 0.1 ? 3 : 2)}`;

export const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** "zero_inflated_poisson" → "zero inflated poisson". */
export const familyName = (family: string): string => family.replaceAll('_', ' ');
