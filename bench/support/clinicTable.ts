/** A simulated clinic: 11 columns, six of them continuous, with effects between them; any number of rows of one population. */
import { weighted } from '../../packages/numerics/random/draws.ts';
import type { RandomStream } from '../../packages/numerics/random/stream.ts';
import type { MeasureRoles } from '../../packages/synthesis/judge/columns.ts';
import type { ModelColumn, ModelTable } from '../../packages/synthesis/models/model.ts';

const LEVELS = {
  sex: ['f', 'm'],
  ward: ['surgery', 'medicine', 'cardiology', 'neurology', 'paediatrics', 'emergency'],
  smoker: ['no', 'former', 'yes'],
  insurance: ['public', 'private', 'none'],
  outcome: ['home', 'transfer'],
} as const;

const NUMBERS = ['age', 'bmi', 'systolic', 'crp', 'stay', 'cost'] as const;

export const CLINIC_ROLES: MeasureRoles = {
  target: 'cost',
  continuous: NUMBERS.filter((name) => name !== 'cost'),
  categorical: Object.keys(LEVELS),
  text: [],
};

/** One person in thirty is transferred: the minority class. */
export const CLINIC_MINORITY = { column: 'outcome', level: 'transfer' } as const;

type Person = Record<(typeof NUMBERS)[number] | keyof typeof LEVELS, number>;

export function clinicTable(rows: number, random: RandomStream): ModelTable {
  const people = Array.from({ length: rows }, () => person(random));
  const columns: ModelColumn[] = [
    ...NUMBERS.map((name): ModelColumn => {
      return { kind: 'numeric', name, values: Float64Array.from(people, (of) => of[name]) };
    }),
    ...(Object.keys(LEVELS) as (keyof typeof LEVELS)[]).map((name): ModelColumn => {
      return { kind: 'category', name, codes: Int32Array.from(people, (of) => of[name]), levels: [...LEVELS[name]] };
    }),
  ];
  return { rows, columns: new Map(columns.map((column) => [column.name, column])) };
}

const drawWard = weighted([0.25, 0.3, 0.15, 0.1, 0.08, 0.12]);
const drawSmoker = weighted([0.55, 0.25, 0.2]);
const drawInsurance = weighted([0.75, 0.2, 0.05]);

function person(random: RandomStream): Person {
  const ward = drawWard(random);
  const age = Math.min(98, Math.max(0, ward === 4 ? 9 + 5 * random.normal() : 58 + 17 * random.normal()));
  const smoker = age < 16 ? 0 : drawSmoker(random);
  const bmi = 26 + 0.03 * (age - 50) + 4.2 * random.normal();
  const systolic = 112 + 0.35 * age + 0.4 * (bmi - 26) + 4 * smoker + 13 * random.normal();
  const crp = Math.exp(1.4 + 0.25 * smoker + 0.3 * (ward === 5 ? 1 : 0) + 1.1 * random.normal());
  const stay = Math.exp(1.1 + 0.006 * age + 0.12 * Math.log(crp) + 0.6 * random.normal());
  const cost = Math.exp(6.4 + 0.8 * Math.log(stay) + (ward === 2 ? 0.5 : 0) + 0.35 * random.normal());
  const isTransferred = random.uniform() < 0.022 + 0.0004 * Math.max(0, age - 58);
  return {
    age: rounded(age, 1),
    bmi: rounded(bmi, 2),
    systolic: rounded(systolic, 1),
    crp: rounded(crp, 2),
    stay: rounded(stay, 2),
    cost: rounded(cost, 2),
    sex: random.uniform() < 0.48 ? 1 : 0,
    ward,
    smoker,
    insurance: drawInsurance(random),
    outcome: isTransferred ? 1 : 0,
  };
}

const rounded = (value: number, decimals: number): number => Math.round(value * 10 ** decimals) / 10 ** decimals;
