/** Fresh real rows in the place of synthetic ones are judged good, however many figures are looked at; bad tables are not. */
import { describe, expect, it } from 'vitest';
import { type Grade, worstGrade } from '../../../packages/contract/grades.ts';
import type { Judgement } from '../../../packages/contract/verdicts.ts';
import { meanWithError } from '../../../packages/numerics/moments.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';
import { measureAll, type TableTask } from '../../../packages/synthesis/judge/measureAll.ts';
import { independentColumns, swappedTenth } from '../../../packages/synthesis/judge/parts.ts';
import { judge } from '../../../packages/synthesis/judge/verdicts/judge.ts';
import type { ModelColumn, ModelTable } from '../../../packages/synthesis/models/model.ts';
import { METRICS } from '../../support/jobFixtures.ts';
import { DRAWN_ROLES, drawTable } from './tables.ts';

const TRAIN = 240;
const HELD = 100;

interface Tables {
  train: ModelTable;
  holdout: ModelTable | null;
  synthetic: ModelTable;
}

async function judgementsOf(tables: Tables, crossFit: TableTask['crossFit'], random: RandomStream) {
  const task = { ...tables, crossFit, roles: DRAWN_ROLES, family: null, random, onProgress: async () => {} };
  return judge({ ...METRICS, ...(await measureAll(task)) });
}

function held(trial: number): Tables & { random: RandomStream } {
  const random = createStream(trial, 'fresh rows');
  const [train, holdout, synthetic] = [TRAIN, HELD, TRAIN].map((rows, at) => drawTable(rows, random.child(`${at}`)));
  return { train: train!, holdout: holdout!, synthetic: synthetic!, random };
}

const gradesOf = (judgements: readonly Judgement[]): Map<string, Grade> =>
  new Map(judgements.map(({ area, grade }) => [area, grade]));

describe('verdicts', () => {
  it('call fresh real rows good in every area, but for what few held-out rows cannot show, in nine of ten trials', async () => {
    const worst: Grade[] = [];
    for (let trial = 0; trial < 10; trial++) {
      const { random, ...tables } = held(trial);
      worst.push(worstGrade(await judgementsOf(tables, null, random)));
    }
    expect(worst.filter((grade) => grade === 'good' || grade === 'not_shown').length).toBeGreaterThanOrEqual(9);
  });

  it('call fresh real rows good if a small table is cross-fitted, but for what its rows cannot show', async () => {
    const random = createStream(11, 'fresh rows');
    const crossFit = async (_: ModelTable, rows: number, fold: number) => drawTable(rows, random.child(`fold ${fold}`));
    const tables = { train: drawTable(120, random), holdout: null, synthetic: drawTable(120, random.child('made')) };
    expect(worstGrade(await judgementsOf(tables, crossFit, random))).toMatch(/^(good|not_shown)$/);
  });

  it('call copies, shuffled columns and noise what they are', async () => {
    const { random, train, holdout } = held(12);
    const grade = async (synthetic: ModelTable) =>
      gradesOf(await judgementsOf({ train, holdout, synthetic }, null, random.child('measure')));
    expect((await grade(train)).get('privacy')).toBe('poor');
    expect((await grade(swappedTenth(train, TRAIN, random))).get('privacy')).toBe('poor');
    const shuffled = await grade(independentColumns(train, TRAIN, random));
    expect([shuffled.get('likeness'), shuffled.get('usefulness')]).toEqual([
      expect.stringMatching(/mixed|poor/),
      'poor',
    ]);
    const noisy = await grade(withNoise(drawTable(TRAIN, random.child('noise')), random));
    expect(noisy.get('likeness')).toMatch(/mixed|poor/);
  });
});

/** Numbers moved by half a standard deviation of normal noise. */
function withNoise(table: ModelTable, random: RandomStream): ModelTable {
  const noisy = (column: ModelColumn): ModelColumn => {
    if (column.kind !== 'numeric') return column;
    const { error } = meanWithError(column.values.filter(Number.isFinite));
    const deviation = error * Math.sqrt(column.values.length);
    return { ...column, values: column.values.map((value) => value + 0.5 * deviation * random.normal()) };
  };
  return { rows: table.rows, columns: new Map([...table.columns].map(([name, column]) => [name, noisy(column)])) };
}
