/** Cost and expected error of a private table, from the request and row count alone. */
import { namedColumns } from '../../contract/columns.ts';
import type { Estimate } from '../../contract/replies.ts';
import { rhoOf } from '../../numerics/privacy/accounting.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { counted } from '../../words/wording.ts';
import { sizeOf } from '../methods/private/codes.ts';
import { expectedVariation } from '../methods/private/expectedVariation.ts';
import { maxBinsFor } from '../methods/private/privateModel.ts';
import { MAX_CELLS } from '../methods/private/selectPairs.ts';
import type { PrivateRequest } from '../request/checkPrivacy.ts';
import type { Machine } from './machine.ts';

/** CPU seconds per tree cell and round, per row and pair, and per compared cell. */
const COST = { cell: 3.3e-6, row: 4e-9, compared: 5e-5, start: 0.4 } as const;
const RANGE = { low: 0.4, high: 2.5 } as const;
const ROUNDS_PER_COLUMN = 3;
/** Cells grow with the sixth power of the bins, as less noise allows larger cliques. */
const CELLS = { power: 6, over: 2000, most: MAX_CELLS / 2 } as const;
const MAX_COMPARED = 50_000;
const MEMORY_MB = { base: 260, cell: 6e-5 } as const;

export function estimatePrivate({ rows }: Profile, request: PrivateRequest, { speed }: Machine): Estimate {
  const domain = request.domain ?? {};
  const columns = namedColumns(request).flatMap(({ name }) => {
    const own = domain[name];
    return own ? [{ domain: own, size: sizeOf(own) }] : [];
  });
  const width = columns.length;
  const rho = rhoOf(request.privacy.epsilon, request.privacy.delta);
  const bins = maxBinsFor(rho, width);
  const cells = Math.min(CELLS.most, (width * bins ** CELLS.power) / CELLS.over);
  const fit = COST.cell * ROUNDS_PER_COLUMN * width * cells + COST.row * rows * width ** 2;
  const compare = COST.compared * width * (Math.min(rows, MAX_COMPARED) + Math.min(request.n_samples, MAX_COMPARED));
  const stages = [
    { stage: 'start' as const, cpu: COST.start, why: 'starting the process' },
    { stage: 'categories' as const, cpu: fit, why: `noisy counts of ${counted(width, 'column')} and of pairs` },
    { stage: 'metrics' as const, cpu: compare, why: 'figures for the owner' },
  ].map(({ cpu, ...own }) => ({ ...own, seconds: rounded(cpu / speed), cpu_seconds: rounded(cpu / speed) }));
  const expected = stages.reduce((sum, { seconds }) => sum + seconds, 0);
  const span = {
    expected: rounded(expected),
    low: rounded(RANGE.low * expected),
    high: rounded(RANGE.high * expected),
  };
  return {
    seconds: span,
    cpu_seconds: span,
    cost: null,
    stages,
    cheaper: null,
    memory_mb: Math.round(MEMORY_MB.base + MEMORY_MB.cell * width * (rows + request.n_samples)),
    privacy: { rho, expected_total_variation: expectedVariation(rho, rows, columns) },
  };
}

const rounded = (value: number): number => (value < 10 ? Math.ceil(10 * value) / 10 : Math.round(value));
