/** A CSV file as large as an upload may be, of numbers in format, few of them twice: what costs most to read. */

import { UPLOAD } from '../../packages/contract/files.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../packages/numerics/random/stream.ts';
import { keptFile, type LargeFile } from './largeFile.ts';

const HEADER = 'id,day,seen,turnover,share,pieces,balance\n';
const whole = new Intl.NumberFormat('en');
const money = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Dates, times, dollars, percentages, grouped digits, and amounts below zero in parentheses. */
export const decoratedFile = (): LargeFile => ({
  name: 'decorated',
  path: keptFile(`decorated-${UPLOAD.maxBytes}.csv`, decoratedText),
  target: 'share',
});

function decoratedText(): string {
  const random = createStream(1, 'decorated-file');
  const lines = [HEADER];
  let length = HEADER.length;
  for (let id = 1; ; id++) {
    const line = `${[id, ...decoratedCells(random)].join(',')}\n`;
    length += line.length;
    if (length > UPLOAD.maxBytes) return lines.join('');
    lines.push(line);
  }
}

function decoratedCells(random: RandomStream): string[] {
  const field = (least: number, most: number): string =>
    String(least + random.integer(most - least + 1)).padStart(2, '0');
  const day = (): [string, string, string] => [field(1, 28), field(1, 12), field(1990, 2024)];
  const [seenDay, seenMonth, seenYear] = day();
  const balance = money.format(20_000 * random.uniform() ** 3);
  return [
    day().join('/'),
    `${seenYear}-${seenMonth}-${seenDay} ${field(0, 23)}:${field(0, 59)}:${field(0, 59)}`,
    `"$${money.format(1_000_000 * random.uniform() ** 3)}"`,
    `${(100 * random.uniform()).toFixed(2)} %`,
    `"${whole.format(Math.floor(200_000 * random.uniform() ** 2))}"`,
    random.uniform() < 0.3 ? `"(${balance})"` : `"${balance}"`,
  ];
}
