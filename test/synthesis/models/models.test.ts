import { describe, expect, test } from 'vitest';
import { categoryChain } from '../../../packages/synthesis/models/categorical/categoryChain.ts';
import { redrawnLabels } from '../../../packages/synthesis/models/categorical/redrawnLabels.ts';
import { leafRankVine } from '../../../packages/synthesis/models/copula/leafRankVine.ts';
import { MODELS } from '../../../packages/synthesis/models/registry.ts';
import { bayesianRegression } from '../../../packages/synthesis/models/regression/bayesianRegression.ts';
import { bayesianLogistic } from '../../../packages/synthesis/models/regression/labels/bayesianLogistic.ts';
import { characterMarkov } from '../../../packages/synthesis/models/text/characterMarkov.ts';
import { type ModelCase, modelSuite } from './model.suite.ts';
import { category, numeric, text } from './tables.ts';

type Kind = Parameters<ModelCase['column']>[2];

const rowsOf = (rows: number): number[] => Array.from({ length: rows }, (_, i) => i);

function numbers(name: string, rows: number, kind: Kind) {
  const value = (i: number): number =>
    kind === 'constant' ? 7 : kind === 'missing' && i % 3 === 0 ? Number.NaN : ((i * 37 + name.length) % 101) / 4;
  return numeric(name, rowsOf(rows).map(value));
}

function levels(name: string, rows: number, kind: Kind) {
  const value = (i: number): string | null =>
    kind === 'constant' ? 'same' : kind === 'missing' && i % 3 === 0 ? null : `level ${(i * i + name.length) % 5}`;
  return category(name, rowsOf(rows).map(value));
}

function texts(name: string, rows: number, kind: Kind) {
  const value = (i: number): string | null =>
    kind === 'constant'
      ? 'same'
      : kind === 'missing' && i % 3 === 0
        ? null
        : `row ${i * 7} of a ${['réd', 'blue', '😀'][i % 3]} text`;
  return text(name, rowsOf(rows).map(value));
}

const given: ModelCase['given'] = (name, rows) =>
  category(
    name,
    rowsOf(rows).map((i) => ['a', 'b', null][i % 3] ?? null),
  );

modelSuite({ model: bayesianRegression, column: numbers, given, columns: 1 });
modelSuite({ model: leafRankVine, column: numbers, given, columns: 4 });
modelSuite({ model: categoryChain, column: levels, given, columns: 4 });
modelSuite({ model: redrawnLabels, column: levels, given, columns: 4 });
modelSuite({ model: bayesianLogistic, column: levels, given, columns: 1 });
modelSuite({ model: characterMarkov, column: texts, given, columns: 2 });

describe('the registry', () => {
  test('has a model of its own for each role, and for labels', () => {
    const roles = ['categorical', 'continuous', 'identifier', 'label', 'target', 'target_label', 'text'];
    expect(Object.keys(MODELS).sort()).toEqual(roles);
    expect(new Set(Object.values(MODELS)).size).toBe(roles.length);
  });
});
