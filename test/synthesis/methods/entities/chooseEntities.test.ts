import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../../../packages/numerics/random/stream.ts';
import { chooseEntities } from '../../../../packages/synthesis/methods/entities/chooseEntities.ts';
import type { CategoryColumn, ModelTable } from '../../../../packages/synthesis/models/model.ts';
import type { EntityRows } from '../../../../packages/synthesis/table/entityRows.ts';

const NAMES = ['a', 'b', 'c'];
const ROWS = 3;

/** Three flags a row: each pair is independent; the third is the sum of the others, with a share of the entities that break it. */
function flags(entities: number, wrong: number, random: RandomStream): EntityRows {
  const codes = NAMES.map(() => new Int32Array(entities * ROWS));
  for (let entity = 0; entity < entities; entity++) {
    const flip = Number(random.uniform() < wrong);
    for (let row = entity * ROWS; row < (entity + 1) * ROWS; row++) {
      const [a, b] = [random.integer(2), random.integer(2)];
      [a, b, a ^ b ^ flip].forEach((code, at) => {
        codes[at]![row] = code;
      });
    }
  }
  const columns = NAMES.map(
    (name, at): CategoryColumn => ({ kind: 'category', name, codes: codes[at]!, levels: ['0', '1'] }),
  );
  const table: ModelTable = { rows: entities * ROWS, columns: new Map(columns.map((own) => [own.name, own])) };
  return { table, starts: Int32Array.from({ length: entities + 1 }, (_, entity) => entity * ROWS) };
}

const codesOf = ({ table }: EntityRows, name: string): Int32Array => (table.columns.get(name) as CategoryColumn).codes;

/** Whether the entity's first row is as the real ones are. */
const isRight = (of: EntityRows, entity: number): boolean => {
  const [a, b, c] = NAMES.map((name) => codesOf(of, name)[entity * ROWS]!);
  return (a! ^ b!) === c;
};

const choose = (made: EntityRows, count: number, broken = new Uint8Array(made.starts.length - 1), seed = 1) =>
  chooseEntities({
    real: flags(500, 0, createStream(1, 'real')),
    made,
    names: NAMES,
    count,
    broken,
    random: createStream(seed, 'choice'),
    yieldToEventLoop: async () => undefined,
  });

describe('a choice among more entities than are wanted', () => {
  const made = flags(600, 0.4, createStream(2, 'made'));

  it('takes those that agree with the real ones, in what only three columns together show, too', async () => {
    const chosen = await choose(made, 300);
    expect(chosen).toHaveLength(300);
    expect(new Set(chosen).size).toBe(300);
    const share = [...chosen].filter((entity) => isRight(made, entity)).length / 300;
    // 0.6 of those that there are; of 360 right ones all of the 300 could be taken.
    expect(share).toBeGreaterThan(0.95);
  });

  it('leaves entities that break something, unless there are too few others', async () => {
    const broken = Uint8Array.from({ length: 600 }, (_, entity) => Number(entity < 250));
    expect(Math.min(...(await choose(made, 300, broken)))).toBeGreaterThanOrEqual(250);
    const all = await choose(made, 400, broken);
    expect([...all].filter((entity) => entity >= 250)).toHaveLength(350);
  });

  it('is the same for the same stream', async () => {
    expect(await choose(made, 200)).toEqual(await choose(made, 200));
  });

  it('keeps single numbers as frequent as they are, not bins of them alone', async () => {
    const numbers = (entities: number, odd: number, random: RandomStream): EntityRows => {
      const values = Float64Array.from(
        { length: entities * ROWS },
        () => 2 * random.integer(20) + Number(random.uniform() < odd),
      );
      const starts = Int32Array.from({ length: entities + 1 }, (_, entity) => entity * ROWS);
      return {
        table: { rows: values.length, columns: new Map([['x', { kind: 'numeric', name: 'x', values }]]) },
        starts,
      };
    };
    const rough = numbers(600, 0.5, createStream(4, 'made'));
    const chosen = await chooseEntities({
      real: numbers(500, 0.7, createStream(3, 'real')),
      made: rough,
      names: ['x'],
      count: 300,
      broken: new Uint8Array(600),
      random: createStream(1, 'choice'),
      yieldToEventLoop: async () => undefined,
    });
    const column = rough.table.columns.get('x');
    const values = column?.kind === 'numeric' ? column.values : new Float64Array(0);
    const own = [...chosen].flatMap((entity) => [...values.subarray(entity * ROWS, (entity + 1) * ROWS)]);
    // Half of the numbers that are drawn are odd, of real ones 0.7; the best half of the entities could have 0.69.
    expect(own.filter((value) => value % 2 === 1).length / own.length).toBeGreaterThan(0.62);
  });
});
