/** What somebody who sees every answer of a curator, and knows all rows but one, learns of that one. */
import { type Curator, createCurator, type NoisyCounts } from '../../packages/numerics/privacy/curator.ts';
import type { RandomBytes } from '../../packages/numerics/privacy/exactNoise.ts';
import type { CodedColumn } from '../../packages/synthesis/methods/private/codes.ts';
import { fitPrivately, type PrivateModel } from '../../packages/synthesis/methods/private/privateModel.ts';
import { bytesFrom } from './samplers.ts';

/** A question to a curator: true counts or scores, its cost, and the answer. */
export interface Question {
  asked: readonly number[];
  rho: number;
  given: NoisyCounts | number;
}

/** Writes down what a curator is asked and answers. */
export const recording = (curator: Curator, questions: Question[]): Curator => ({
  count(cells, rho) {
    const given = curator.count(cells, rho);
    questions.push({ asked: [...cells], rho, given });
    return given;
  },
  choose(scores, rho) {
    const given = curator.choose(scores, rho);
    questions.push({ asked: [...scores], rho, given });
    return given;
  },
  spent: curator.spent,
});

/** Answers as `record` says, whatever the cells are, and writes down what it is asked. Throws where the questions are others. */
export function replaying(record: readonly Question[], questions: Question[]): Curator {
  let spent = 0;
  const next = (asked: ArrayLike<number>, rho: number): Question['given'] => {
    const earlier = record[questions.length];
    if (earlier?.asked.length !== asked.length || earlier.rho !== rho)
      throw new Error(`question ${questions.length} depends on more than the answers before it`);
    spent += rho;
    questions.push({ asked: Array.from(asked), rho, given: earlier.given });
    return earlier.given;
  };
  return {
    count(cells, rho) {
      const given = next(cells, rho);
      if (typeof given === 'number') throw new Error('counts are asked for where a choice was');
      return given;
    },
    choose(scores, rho) {
      const given = next(scores, rho);
      if (typeof given !== 'number') throw new Error('a choice is asked for where counts were');
      return given;
    },
    spent: () => spent,
  };
}

/** The logarithm of how much likelier the answers are where the first questions were asked than where the others were. */
export const lossOf = (first: readonly Question[], second: readonly Question[]): number =>
  first.reduce((sum, { asked, rho, given }, at) => {
    const other = second[at]!.asked;
    return (
      sum +
      (typeof given === 'number'
        ? logChance(asked, rho, given) - logChance(other, rho, given)
        : logDensity(asked, given) - logDensity(other, given))
    );
  }, 0);

/** Of the exponential mechanism of ρ-zCDP for scores of sensitivity 1. */
function logChance(scores: readonly number[], rho: number, at: number): number {
  const rate = Math.sqrt(2 * rho);
  const best = scores.reduce((a, b) => Math.max(a, b));
  const sum = scores.reduce((total, score) => total + Math.exp(rate * (score - best)), 0);
  return rate * (scores[at]! - best) - Math.log(sum);
}

/** But for a constant that is the same for all counts. */
const logDensity = (asked: readonly number[], { counts, variance }: NoisyCounts): number =>
  -asked.reduce((sum, count, cell) => sum + (counts[cell]! - count) ** 2, 0) / (2 * variance);

export const fitBy = (
  columns: readonly CodedColumn[],
  curator: Curator,
  rho: number,
  target: string | null = null,
): Promise<PrivateModel> =>
  fitPrivately({ columns, target, curator, rho, onRound: async () => {}, yieldToEventLoop: async () => {} });

export interface AuditTask {
  /** A table, and the same with one row more. */
  tables: readonly [readonly CodedColumn[], readonly CodedColumn[]];
  rho: number;
  pairs: number;
  /** A curator of one question, by its bytes: those of both releases of a pair are equal. */
  openCurator(bytes: RandomBytes): Curator;
}

/**
 * Releases of both tables, and how many standard errors apart their privacy losses are: √(2ρ) at most, for a mechanism that is no
 * worse than Gaussian noise of ρ-zCDP. No other attack tells the two tables apart better (Neyman and Pearson).
 */
export async function audit({
  tables,
  rho,
  pairs,
  openCurator,
}: AuditTask): Promise<{ mu: number; low: number; high: number }> {
  const losses: [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair++) {
    for (const own of [0, 1] as const) {
      const asked: [Question[], Question[]] = [[], []];
      await fitBy(tables[own], recording(byQuestions(openCurator, pair), asked[own]), rho);
      await fitBy(tables[1 - own]!, replaying(asked[own], asked[1 - own]!), rho);
      losses[own].push(lossOf(asked[1], asked[0]));
    }
  }
  const mu = apart(losses);
  const parts = Array.from({ length: PARTS }, (_, part) =>
    apart([leavingOut(losses[0], part), leavingOut(losses[1], part)]),
  );
  const mean = meanOf(parts);
  const error = Math.sqrt(((PARTS - 1) / PARTS) * parts.reduce((sum, part) => sum + (part - mean) ** 2, 0));
  return { mu, low: mu - 1.96 * error, high: mu + 1.96 * error };
}

/** Each question has bytes of its own: noise stays equal where an answer before took another number of them. */
function byQuestions(openCurator: AuditTask['openCurator'], pair: number): Curator {
  let [questions, spent] = [0, 0];
  const next = (rho: number): Curator => {
    spent += rho;
    return openCurator(bytesFrom(pair, `question ${questions++}`));
  };
  return {
    count: (cells, rho) => next(rho).count(cells, rho),
    choose: (scores, rho) => next(rho).choose(scores, rho),
    spent: () => spent,
  };
}

/** Parts that a jackknife leaves out in turn. */
const PARTS = 20;
const leavingOut = (losses: readonly number[], part: number): number[] => losses.filter((_, at) => at % PARTS !== part);

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function apart([absent, present]: readonly [readonly number[], readonly number[]]): number {
  const spread = (values: readonly number[]): number => {
    const mean = meanOf(values);
    return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  };
  return (meanOf(present) - meanOf(absent)) / Math.sqrt((spread(absent) + spread(present)) / 2);
}

/** For an audit of power: a curator that charges as it should and adds noise of too small a variance. */
export const careless = (budget: number, bytes: RandomBytes, factor: number): Curator => {
  const honest = createCurator(budget, bytes);
  const loose = createCurator(budget * factor, bytes);
  return {
    count(cells, rho) {
      const { variance } = honest.count(new Int32Array(cells.length), rho);
      return { counts: loose.count(cells, rho * factor).counts, variance };
    },
    choose: (scores, rho) => honest.choose(scores, rho),
    spent: honest.spent,
  };
};
