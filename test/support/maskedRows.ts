/** Real rows disguised as synthetic ones, in the ways that are in use: each keeps to persons that exist. */
import { createStream } from '../../packages/numerics/random/createStream.ts';
import type { Row } from '../../packages/synthesis/index.ts';

type Mask = (rows: readonly Row[], numbers: readonly string[]) => Row[];

export const MASKS: Readonly<Record<string, Mask>> = {
  copies: (rows) => [...rows],
  'rows drawn again, with a little noise': (rows, numbers) => {
    const random = createStream(4, 'noise');
    return rows.map(() => {
      const row = rows[random.integer(rows.length)]!;
      const moved = numbers.flatMap((name) => (isMissing(row[name]) ? [] : [[name, noisy(Number(row[name]))]]));
      return { ...row, ...Object.fromEntries(moved) };
    });
    function noisy(value: number): number {
      return Math.round(1e6 * value * (1 + 0.01 * random.normal())) / 1e6;
    }
  },
  'cells exchanged by rank': (rows, numbers) => {
    const random = createStream(5, 'swap');
    const out = rows.map((row) => ({ ...row }));
    const distance = Math.max(1, Math.round(rows.length / 100));
    for (const name of numbers) {
      const order = [...rows.keys()].sort((a, b) => Number(rows[a]![name]) - Number(rows[b]![name]));
      for (let at = 0; at + distance < order.length; at++) {
        const [a, b] = [out[order[at]!]!, out[order[at + 1 + random.integer(distance)]!]!];
        [a[name], b[name]] = [b[name], a[name]];
      }
    }
    return out;
  },
  'a tenth of the cells suppressed': (rows) => {
    const random = createStream(6, 'suppress');
    const hidden = (cell: Row[string]) => (random.uniform() < 0.1 ? null : cell);
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, hidden(cell)])));
  },
};

const isMissing = (cell: Row[string]): boolean => cell === null || cell === undefined || cell === '' || cell === 'NA';
