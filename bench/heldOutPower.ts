/**
 * What few held-out rows let the judge of privacy claim: nine tables, made here from 3,000 rows each, are judged beside 300
 * held-out rows and beside 3,000. Ends with exit code 1 if 300 rows claim more than 3,000 do.
 */
import type { Grade } from '../packages/contract/grades.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import { compare } from '../packages/synthesis/library/compare.ts';
import { synthesize } from '../packages/synthesis/library/synthesize.ts';
import type { Bench } from './support/bench.ts';
import { NINE_TABLES, type Population } from './support/nineTables.ts';
import { printTable } from './support/printTable.ts';

const ROWS = 3_000;
const FEW = 300;
const MANY = 3_000;

/** From the grade that claims least to that which claims most: that a table leaks is claimed, too. */
const CLAIMS: readonly Grade[] = ['unknown', 'not_shown', 'poor', 'mixed', 'good'];

export const bench: Bench = {
  title: 'nine tables judged with 300 and with 3,000 held-out rows: the former claim no more than the latter',
  async run() {
    const rows: string[][] = [];
    let more = 0;
    for (const [at, population] of NINE_TABLES.entries()) {
      const [few, many] = await gradesOf(population, at);
      const claimsMore = CLAIMS.indexOf(few.grade) > CLAIMS.indexOf(many.grade);
      if (claimsMore) more++;
      rows.push([population.name, few.grade, many.grade, claimsMore ? 'more' : 'no more', few.headline, many.headline]);
      console.log(rows.at(-1)!.join(' | '));
    }
    console.log('');
    printTable(['table', `by ${FEW}`, `by ${MANY}`, 'the former claims', `by ${FEW}`, `by ${MANY}`], rows);
    if (more > 0) process.exitCode = 1;
  },
};

async function gradesOf({ name, continuous, categorical, rows }: Population, seed: number) {
  const random = createStream(seed, `held-out power ${name}`);
  const all = rows(ROWS + MANY, random);
  const real = all.slice(0, ROWS);
  const roles = { continuous_cols: continuous, categorical_cols: categorical };
  const made = await synthesize(real, { ...roles, n_samples: ROWS, seed });
  const privacyBy = async (held: number) => {
    const holdout = all.slice(ROWS, ROWS + held);
    const { verdicts } = await compare(real, made.rows.all(), roles, { holdout, seed });
    return verdicts.find(({ area }) => area === 'privacy') ?? { grade: 'unknown' as const, headline: '' };
  };
  return [await privacyBy(FEW), await privacyBy(MANY)] as const;
}
