/** Figures as people read them. */

const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export const whole = (value: number): string => plain.format(value);

/** So that a line does not end between a number and its unit. */
const SPACE = '\u00a0';

/** Three significant digits; "–" where there is none. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value !== 0 && (Math.abs(value) < 0.001 || Math.abs(value) >= 1e6)) return value.toExponential(2);
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value);
}

export const percent = (share: number): string =>
  share > 0 && share < 0.001 ? `under 0.1${SPACE}%` : `${figure(Math.round(share * 1000) / 10)}${SPACE}%`;

export function bytes(count: number): string {
  if (count < 1000) return `${count} bytes`;
  return count < 1e6 ? `${figure(count / 1000)} KB` : `${figure(count / 1e6)} MB`;
}

/** "1 row", "2 rows" */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${whole(count)} ${count === 1 ? one : many}`;

/** "42 s", "3 min 05 s", "1 h 02 min" */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} min`;
}

/** At most so many characters, the rest behind "…". */
export const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
