/**
 * Whether noise is what it is said to be, and whether whole private releases give away no more than was promised. Ends with exit
 * code 1 where a sampler's χ² is beyond chance, or the audit's interval lies above its bound.
 */
import { rhoOf } from '../packages/numerics/privacy/accounting.ts';
import { createCurator } from '../packages/numerics/privacy/curator.ts';
import { chiSquare, chiSquareLimit } from '../test/support/chiSquare.ts';
import { audit, careless } from '../test/support/privacyAudit.ts';
import { neighbours } from '../test/support/privateTables.ts';
import { bytesFrom, SAMPLERS } from '../test/support/samplers.ts';
import type { Bench } from './support/bench.ts';
import { numberFrom } from './support/numberFrom.ts';
import { printTable } from './support/printTable.ts';

const [EPSILON, DELTA] = [1, 1e-2];
const COLUMNS = 3;

export const bench: Bench = {
  title: 'samplers of noise by χ² over DRAWS draws (1,000,000), PAIRS (1,000) audited pairs of releases at (1, 10⁻²)',
  async run() {
    samplers(numberFrom('DRAWS', 1_000_000));
    await audits(numberFrom('PAIRS', 1_000));
  },
};

function samplers(draws: number): void {
  const rows = SAMPLERS.map(({ name, draw, values, weight }) => {
    const bytes = bytesFrom(31, name);
    const drawn = Array.from({ length: draws }, () => draw(bytes));
    const { sum, freedom } = chiSquare(drawn, values, weight);
    const limit = chiSquareLimit(freedom);
    if (sum > limit) process.exitCode = 1;
    return [name, sum, freedom, limit];
  });
  printTable(['sampler', 'χ²', 'degrees of freedom', 'limit (p = 10⁻⁵)'], rows);
}

async function audits(pairs: number): Promise<void> {
  const rho = rhoOf(EPSILON, DELTA);
  const bound = Math.sqrt(2 * rho);
  const task = { tables: neighbours(COLUMNS), rho, pairs };
  const honest = await audit({ ...task, openCurator: (bytes) => createCurator(rho, bytes) });
  const broken = await audit({ ...task, openCurator: (bytes) => careless(rho, bytes, 4) });
  if (honest.low > bound || broken.low < bound) process.exitCode = 1;
  console.log('');
  printTable(
    ['releases', 'pairs', 'empirical μ', 'from', 'to', 'bound √(2ρ)'],
    [
      ['as they are', pairs, honest.mu, honest.low, honest.high, bound],
      ['with a quarter of the variance', pairs, broken.mu, broken.low, broken.high, bound],
    ],
  );
}
