/** Small tables for private releases. */
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { type CodedColumn, codeColumn } from '../../packages/synthesis/methods/private/codes.ts';

const LEVELS = ['a', 'b', 'c', 'd'];
const ROWS = 300;

/** Categories of three levels that go together, and the same with one more row, of a fourth level in each column. */
export function neighbours(width: number): [CodedColumn[], CodedColumn[]] {
  const random = createStream(8, 'neighbours');
  const first = Array.from({ length: ROWS }, () => random.integer(3));
  const columns = Array.from({ length: width }, (_, at) => {
    const codes = first.map((code) => (random.uniform() < 0.5 ? code : random.integer(3)));
    return { name: `c${at}`, codes };
  });
  const coded = (more: readonly number[]): CodedColumn[] =>
    columns.map(({ name, codes }) =>
      codeColumn({ name, codes: Int32Array.of(...codes, ...more), levels: LEVELS }, { levels: LEVELS }),
    );
  return [coded([]), coded([3])];
}
