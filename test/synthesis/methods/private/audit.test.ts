import { describe, expect, it } from 'vitest';
import { rhoOf } from '../../../../packages/numerics/privacy/accounting.ts';
import { createCurator } from '../../../../packages/numerics/privacy/curator.ts';
import { audit, careless } from '../../../support/privacyAudit.ts';
import { neighbours } from '../../../support/privateTables.ts';

/** `npm run bench -- privacyAudit` runs a thousand. */
const PAIRS = 40;
const rho = rhoOf(1, 1e-2);
const bound = Math.sqrt(2 * rho);

describe('an audit of private releases at (1, 10⁻²)', () => {
  it('tells a row from its absence no better than the promise allows, and nearly as well', async () => {
    const found = await audit({
      tables: neighbours(2),
      rho,
      pairs: PAIRS,
      openCurator: (bytes) => createCurator(rho, bytes),
    });
    expect(found.low).toBeLessThan(bound);
    expect(found.mu).toBeGreaterThan(0.7 * bound);
  });

  it('finds noise of a quarter of the variance that was paid for', async () => {
    const found = await audit({
      tables: neighbours(2),
      rho,
      pairs: PAIRS,
      openCurator: (bytes) => careless(rho, bytes, 4),
    });
    expect(found.low).toBeGreaterThan(bound);
  });

  it('finds a row that is counted twice', async () => {
    const [absent, present] = neighbours(2);
    const twice = present.map((column) => ({ ...column, codes: Int32Array.of(...column.codes, column.codes.at(-1)!) }));
    const found = await audit({
      tables: [absent, twice],
      rho,
      pairs: PAIRS,
      openCurator: (bytes) => createCurator(rho, bytes),
    });
    expect(found.low).toBeGreaterThan(bound);
  });
});
