import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSharedTable } from '../../../../bench/support/sharedTables.ts';
import type { Predictor } from '../../../../packages/numerics/regression/design/design.ts';
import { describeShared } from '../../../support/shared.ts';
import { tryHeldOut } from './heldOut.ts';

function trialOf(shared: string, name: string) {
  const { table, roles } = readSharedTable(join(shared, 'data'), name);
  const target = roles.target === null ? undefined : table.columns.get(roles.target);
  if (target?.kind !== 'numeric') throw new Error(`${name} has no numeric target`);
  const predictors = [...roles.continuous, ...roles.categorical].flatMap((column): Predictor[] => {
    const found = table.columns.get(column);
    return found && found.kind !== 'text' ? [found] : [];
  });
  return { predictors, response: target.values };
}

describeShared('a design of real tables', (shared) => {
  it('predicts held-out house values, with intervals that hold what they promise', () => {
    const trial = { ...trialOf(shared, 'california_housing'), scale: 'identity' as const, halfStep: 50 };
    const { r2, coverage, columns } = tryHeldOut({ ...trial, seed: 1, iterations: 3 });
    expect(r2).toBeGreaterThan(0.78);
    expect(coverage).toBeGreaterThan(0.88);
    expect(coverage).toBeLessThan(0.92);
    expect(columns).toBeLessThanOrEqual(700);
  });

  it('predicts the body mass of penguins from 274 rows', () => {
    const trial = { ...trialOf(shared, 'penguins'), scale: 'identity' as const, halfStep: 12.5 };
    expect(tryHeldOut({ ...trial, seed: 1, iterations: 8 }).r2).toBeGreaterThan(0.8);
  });
});
