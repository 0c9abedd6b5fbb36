/** The target's regression as a job fits it: what its posterior predictive says of real rows that it has not seen. */

import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { type Family, isOfNumbers } from '../packages/contract/families.ts';
import { cdf } from '../packages/numerics/distributions/empirical.ts';
import { familyOf } from '../packages/numerics/distributions/families.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import { shuffle } from '../packages/numerics/random/draws.ts';
import type { RandomStream } from '../packages/numerics/random/stream.ts';
import { eachPredictive, withoutAtoms } from '../packages/numerics/regression/predict.ts';
import { numberAt } from '../packages/synthesis/disclosure/margin.ts';
import { detectFamily } from '../packages/synthesis/family/detectFamily.ts';
import { measuredColumns } from '../packages/synthesis/judge/columns.ts';
import { kolmogorovSmirnov } from '../packages/synthesis/judge/distances.ts';
import { scorePredictions, trainAndTest } from '../packages/synthesis/judge/trainSyntheticTestReal.ts';
import { type ModelTable, numericColumn } from '../packages/synthesis/models/model.ts';
import {
  fitTarget,
  predictorsOf,
  readTarget,
  type TargetModel,
} from '../packages/synthesis/models/regression/fitTarget.ts';
import { takeRows } from '../packages/synthesis/table/takeRows.ts';
import { profileUpload } from '../packages/tables/profile/profileUpload.ts';
import type { Bench } from './support/bench.ts';
import { FIT_SETTINGS } from './support/fitSettings.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { readSharedTable, sharedData } from './support/sharedTables.ts';

/** R² is of the predictive mean; null where the table is measured by its whole distribution. `auto`: as POST /detect_family has it. */
const TRIALS: [name: string, family: Family | 'auto', r2: number | null][] = [
  ['penguins', 'gaussian', 0.8],
  ['california_housing', 'lognormal', 0.78],
  ['diamonds', 'gamma', 0.975],
  ['adult', 'gaussian', 0.28],
  ['nmes1988', 'auto', null],
  ['ohlsson_motorcycle', 'hurdle_lognormal', null],
];
/** Predictive draws of each held-out row. */
const DRAWS = 200;
/** Predictive draws of each fitted row, all of them together beside the real values: of one, half of the distance is chance. */
const PASSES = 20;

export const bench: Bench = {
  title: 'The target as a job fits it: held-out R², coverage of 90 % intervals, and the whole predictive distribution',
  async run() {
    if (sharedData === undefined) throw new Error('it needs the shared tables, and there is no ../shared beside it.');
    const rows: TableCell[][] = [];
    for (const [name, asked, aim] of TRIALS) {
      const family = asked === 'auto' ? await familyOfTarget(sharedData, name) : asked;
      const label = asked === 'auto' ? `${family} (auto)` : family;
      rows.push([name, label, ...(await measure(sharedData, name, family)), aim]);
    }
    const whole = ['KS', 'as made', 'zeros: real', 'drawn', 'as made', 'mean: real', 'drawn', 'as made'];
    const fit = ['train', 'held out', 's', 'CPU s', 'R²', 'of trees', 'cover'];
    printTable(['table', 'family', ...fit, ...whole, 'aim R²'], rows);
    console.log(
      '\nof trees: boosted trees fitted to the same rows; as made: draws carried over to the real margin, as jobs do',
    );
  },
};

async function familyOfTarget(folder: string, name: string): Promise<Family> {
  const file = `${name}.csv`;
  const profile = await profileUpload(createReadStream(join(folder, file)), file);
  const target = readSharedTable(folder, name).roles.target;
  const column = profile.columns.find((own) => own.name === target);
  if (!column) throw new Error(`${file} has no column ${target}`);
  const { family } = detectFamily(profile, column);
  if (!isOfNumbers(family)) throw new Error(`${column.name} has labels`);
  return family;
}

async function measure(folder: string, name: string, family: Family): Promise<TableCell[]> {
  const { table, roles } = readSharedTable(folder, name);
  const random = createStream(1, name);
  const [train, test] = split(table, roles.target!, random);
  const start = performance.now();
  const before = process.cpuUsage();
  const { model: target } = await fitTarget(
    {
      table: train,
      columns: [roles.target!],
      given: [...roles.continuous, ...roles.categorical],
      settings: { ...FIT_SETTINGS, family },
      random,
      onProgress: async () => {},
      yieldToEventLoop: async () => {},
    },
    readTarget(train, roles.target!, family),
  );
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  const held = numbersOf(test, roles.target!);
  const seen = numbersOf(train, roles.target!);
  const drawn = manyDraws(target, train, random, { isCalibrated: false });
  const made = manyDraws(target, train, random, { isCalibrated: true });
  // A normal target is fitted, and drawn at first, in units of its spread.
  const inOwnUnits = family !== 'gaussian' && family !== 'student_t';
  const [r2, cover] = heldOut(target, test, held, random);
  const trees = scorePredictions(trainAndTest(train, test, roles.target!, measuredColumns(roles, table))).r2 ?? null;
  return [
    train.rows,
    test.rows,
    seconds,
    (user + system) / 1e6,
    r2,
    trees,
    cover,
    inOwnUnits ? kolmogorovSmirnov(seen, drawn) : null,
    kolmogorovSmirnov(seen, made),
    zerosOf(seen),
    zerosOf(drawn),
    zerosOf(made),
    meanOf(seen),
    inOwnUnits ? meanOf(drawn) : null,
    meanOf(made),
  ];
}

/** R² of the mean of draws, and the share of rows whose randomised place among their draws is within 90 %. */
function heldOut(target: TargetModel, test: ModelTable, real: Float64Array, random: RandomStream): [number, number] {
  const sums = new Float64Array(test.rows);
  const below = new Float64Array(test.rows);
  const equal = new Float64Array(test.rows);
  for (let pass = 0; pass < DRAWS; pass++) {
    drawsOf(target, test, random, { isCalibrated: true }).forEach((draw, row) => {
      sums[row]! += draw / DRAWS;
      if (draw < real[row]!) below[row]!++;
      else if (draw === real[row]!) equal[row]!++;
    });
  }
  const inside = below.filter((count, row) => {
    const place = (count + random.uniform() * (equal[row]! + 1)) / (DRAWS + 1);
    return place > 0.05 && place < 0.95;
  });
  const mean = meanOf(real);
  const total = real.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const error = real.reduce((sum, value, row) => sum + (value - sums[row]!) ** 2, 0);
  return [1 - error / total, inside.length / test.rows];
}

interface Calibration {
  isCalibrated: boolean;
}

function manyDraws(target: TargetModel, table: ModelTable, random: RandomStream, asked: Calibration): Float64Array {
  const out = new Float64Array(PASSES * table.rows);
  for (let pass = 0; pass < PASSES; pass++) out.set(drawsOf(target, table, random, asked), pass * table.rows);
  return out;
}

/** A predictive draw of each row. */
function drawsOf(
  target: TargetModel,
  table: ModelTable,
  random: RandomStream,
  { isCalibrated }: Calibration,
): Float64Array {
  const out = new Float64Array(table.rows);
  const family = familyOf(target.family);
  eachPredictive(target, predictorsOf(table, target.given), table.rows, random, (row, eta) => {
    const draw = family.draw(eta, random);
    out[row] = isCalibrated ? numberAt(target.margin, cdf(target.reference, withoutAtoms(family, draw, random))) : draw;
  });
  return out;
}

/** Four rows in five, and the others, of those whose target is known. */
function split(table: ModelTable, target: string, random: RandomStream): [ModelTable, ModelTable] {
  const known = [...numbersOf(table, target).keys()].filter((row) => Number.isFinite(numbersOf(table, target)[row]!));
  shuffle(known, random);
  const cut = Math.floor(0.8 * known.length);
  return [takeRows(table, Int32Array.from(known.slice(0, cut))), takeRows(table, Int32Array.from(known.slice(cut)))];
}

const numbersOf = (table: ModelTable, name: string): Float64Array => numericColumn(table, name).values;

const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const zerosOf = (values: Float64Array): number => values.filter((value) => value === 0).length / values.length;
