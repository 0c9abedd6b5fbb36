/** 90 % predictive intervals on rows that no model saw: how many of them they cover, as drawn and as written. */

import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { type Family, isOfNumbers } from '../packages/contract/families.ts';
import { cdf } from '../packages/numerics/distributions/empirical.ts';
import { familyOf } from '../packages/numerics/distributions/families.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import { shuffledRows } from '../packages/numerics/random/draws.ts';
import type { RandomStream } from '../packages/numerics/random/stream.ts';
import { eachPredictive, withoutAtoms } from '../packages/numerics/regression/predict.ts';
import { numberAt } from '../packages/synthesis/disclosure/margin.ts';
import { detectFamily } from '../packages/synthesis/family/detectFamily.ts';
import { type ModelTable, numericColumn } from '../packages/synthesis/models/model.ts';
import { fitTarget, predictorsOf, readTarget } from '../packages/synthesis/models/regression/fitTarget.ts';
import { takeRows } from '../packages/synthesis/table/takeRows.ts';
import { profileUpload } from '../packages/tables/profile/profileUpload.ts';
import type { Bench } from './support/bench.ts';
import { FIT_SETTINGS } from './support/fitSettings.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { quantile } from './support/quantile.ts';
import { readSharedTable, type SharedTable, sharedData } from './support/sharedTables.ts';

const TABLES = [
  'penguins',
  'k401k',
  'wine_reviews_au',
  'coffee_reviews',
  'nmes1988',
  'oslo_airbnb',
  'california_housing',
  'adult',
  'diamonds',
  'ohlsson_motorcycle',
];
const SEEDS = [1, 2, 3];
/** Rows that are fitted, and rows that are covered or not, at most: 2,000 of them know a share of 0.9 to 0.007. */
const [FITTED, HELD] = [4_000, 2_000];
/** Below so many rows every row is held out once, in folds: a fifth of a small table is too few to count. */
const FOLDED = 1_000;
const FOLDS = 5;
/** Predictive draws of a row. */
const DRAWS = 200;

export const bench: Bench = {
  title: 'Coverage of 90 % predictive intervals on held-out rows of the shared tables; should be .88 to .92',
  async run() {
    if (sharedData === undefined) throw new Error('it needs the shared tables, and there is no ../shared beside it.');
    const rows: TableCell[][] = [];
    for (const name of TABLES) rows.push(await measure(sharedData, name));
    printTable(
      ['table', 'family', 'held out', 'drawn: median', 'least', 'most', 'written: median', 'least', 'most', 's'],
      rows,
    );
    console.log(
      '\ndrawn: posterior predictive draws (calibrate: false); written: calibrated to the column; over seeds',
    );
  },
};

async function measure(folder: string, name: string): Promise<TableCell[]> {
  const shared = readSharedTable(folder, name);
  const family = await familyOfTarget(folder, shared);
  const start = performance.now();
  const found: Coverage[] = [];
  for (const seed of SEEDS) found.push(await coverageOf(shared, family, createStream(seed, name)));
  const spread = (of: (one: Coverage) => number): number[] =>
    [0.5, 0, 1].map((share) => quantile(found.map(of), share));
  const [drawn, written] = [spread((one) => one.drawn / one.rows), spread((one) => one.written / one.rows)];
  return [name, family, found[0]!.rows, ...drawn, ...written, (performance.now() - start) / 1000];
}

async function familyOfTarget(folder: string, { name, roles }: SharedTable): Promise<Family> {
  const file = `${name}.csv`;
  const profile = await profileUpload(createReadStream(join(folder, file)), file);
  const column = profile.columns.find((own) => own.name === roles.target);
  if (!column) throw new Error(`${file} has no column ${roles.target}`);
  const { family } = detectFamily(profile, column);
  if (!isOfNumbers(family)) throw new Error(`${column.name} has labels`);
  return family;
}

/** Rows, and how many of them each kind of interval covers. */
interface Coverage {
  rows: number;
  drawn: number;
  written: number;
}

async function coverageOf({ table, roles }: SharedTable, family: Family, random: RandomStream): Promise<Coverage> {
  const { values } = numericColumn(table, roles.target!);
  const known = shuffledRows(table.rows, random).filter((row) => Number.isFinite(values[row]!));
  const isFolded = known.length < FOLDED;
  const all: Coverage = { rows: 0, drawn: 0, written: 0 };
  for (let fold = 0; fold < (isFolded ? FOLDS : 1); fold++) {
    const isHeld = (at: number): boolean => at % FOLDS === fold;
    const held = known.filter((_, at) => isHeld(at)).slice(0, HELD);
    const fitted = known.filter((_, at) => !isHeld(at)).slice(0, FITTED);
    const own = await covered(takeRows(table, fitted), takeRows(table, held), roles, family, random.child(`${fold}`));
    all.rows += held.length;
    all.drawn += own.drawn;
    all.written += own.written;
  }
  return all;
}

async function covered(
  train: ModelTable,
  test: ModelTable,
  roles: SharedTable['roles'],
  name: Family,
  random: RandomStream,
): Promise<Omit<Coverage, 'rows'>> {
  const { model, sampled } = await fitTarget(
    {
      table: train,
      columns: [roles.target!],
      given: [...roles.continuous, ...roles.categorical],
      settings: { ...FIT_SETTINGS, draws: 400, tune: 500, family: name },
      random,
      onProgress: async () => {},
      yieldToEventLoop: async () => {},
    },
    readTarget(train, roles.target!, name),
  );
  const family = familyOf(name);
  const { offset, factor } = sampled.scale;
  const real = numericColumn(test, roles.target!).values;
  const [drawn, written] = [new Places(real), new Places(real)];
  const predictors = predictorsOf(test, model.given);
  for (let pass = 0; pass < DRAWS; pass++) {
    eachPredictive(model, predictors, test.rows, random, (row, eta) => {
      const draw = family.draw(eta, random);
      drawn.add(row, offset + factor * draw);
      written.add(row, numberAt(model.margin, cdf(model.reference, withoutAtoms(family, draw, random))));
    });
  }
  return { drawn: drawn.covered(random), written: written.covered(random) };
}

/** Where each real number lies among draws for its row; among those that equal it, at random. */
class Places {
  readonly #real: Float64Array;
  readonly #below: Float64Array;
  readonly #equal: Float64Array;

  constructor(real: Float64Array) {
    this.#real = real;
    this.#below = new Float64Array(real.length);
    this.#equal = new Float64Array(real.length);
  }

  add(row: number, draw: number): void {
    if (draw < this.#real[row]!) this.#below[row]!++;
    else if (draw === this.#real[row]!) this.#equal[row]!++;
  }

  /** Numbers within the middle 90 %. */
  covered(random: RandomStream): number {
    let count = 0;
    this.#below.forEach((below, row) => {
      const place = (below + random.uniform() * (this.#equal[row]! + 1)) / (DRAWS + 1);
      if (place > 0.05 && place < 0.95) count++;
    });
    return count;
  }
}
