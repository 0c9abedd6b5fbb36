/** Draws rows from noisy counts alone, which guarantees (ε, δ) for each row of the file. */
import { createHash, randomBytes } from 'node:crypto';
import { namedColumns } from '../../../contract/columns.ts';
import { JobError } from '../../../contract/errors.ts';
import type { FormalPrivacy } from '../../../contract/privacy.ts';
import { rhoOf } from '../../../numerics/privacy/accounting.ts';
import { type Curator, createCurator } from '../../../numerics/privacy/curator.ts';
import { type CellTable, columnOf } from '../../../tables/table.ts';
import { counted, quoted } from '../../../words/wording.ts';
import { halves } from '../../judge/parts.ts';
import type { ModelTable } from '../../models/model.ts';
import type { Progress } from '../../progress.ts';
import type { PrivateRequest } from '../../request/checkPrivacy.ts';
import type { Generator, OpenedTable, OpenTask } from '../method.ts';
import { type CodedColumn, codeColumn, decodeColumn } from './codes.ts';
import { expectedVariation } from './expectedVariation.ts';
import { planPrivately } from './planPrivately.ts';
import { drawPrivately, fitPrivately, type PrivateModel, privateModelSchema } from './privateModel.ts';

/** Creates a source of noise with budget ρ. */
export type OpenCurator = (budget: number) => Curator;

/** Uses the system's secure generator, so that no seed can repeat the noise. */
const secretCurator: OpenCurator = (budget) => createCurator(budget, (count) => randomBytes(count));

interface PrivateTask extends OpenTask {
  request: PrivateRequest;
}

/** Only the curator sees the cells until every row is drawn; figures that compare with real rows are for the owner. */
export async function openPrivately(task: PrivateTask, openCurator = secretCurator): Promise<OpenedTable> {
  const { real, request, source, random, progress } = task;
  const columns = codedColumns(real.cells, request);
  const table = tableOf(columns);
  return {
    plan: planPrivately(real.profile, request, columns),
    real: table,
    split: halves(table, random.child('halves')),
    isSplit: true,
    notes: alteredNotes(columns),
    entities: null,
    refit: null,
    crossFits: { withoutHoldout: false, attacks: false },
    async fit() {
      const rho = rhoOf(request.privacy.epsilon, request.privacy.delta);
      const curator = openCurator(rho);
      const { yieldToEventLoop } = progress;
      const onRound = roundReporter(progress);
      const model = await fitPrivately({
        columns,
        target: request.target_col,
        curator,
        rho,
        yieldToEventLoop,
        onRound,
      });
      return generatorOf(model, JSON.stringify(model), curator.spent());
    },
    async restore(saved) {
      return generatorOf(restore(saved, columns, source!.jobId), saved, 0);
    },
  };

  function generatorOf(model: PrivateModel, saved: string, spent: number): Generator {
    const rows = request.n_samples;
    return {
      models: [],
      drawsTargetInSequence: false,
      async draw(drawing) {
        const { yieldToEventLoop } = progress;
        const codes = await drawPrivately(model, rows, {
          target: request.target_col,
          random: drawing,
          yieldToEventLoop,
        });
        await progress.onProgress({ stage: 'generate', fact: 'numbers_drawn', done: rows, total: rows });
        return tableOf(columns.map((column, at) => ({ ...column, codes: codes[at]! })));
      },
      disclosure: null,
      promise: guaranteeOf(request, columns, { model, saved, spent }),
      verdicts: [],
      save: () => saved,
    };
  }
}

/** Reports every tenth of the measurements. */
function roundReporter({ onProgress }: Progress): (share: number) => Promise<void> {
  let last = 0;
  return async (share) => {
    const done = Math.floor(100 * share);
    if (done < last + 10 && done < 100) return;
    last = done;
    await onProgress({ stage: 'fit', fact: 'privately_measured', done, total: 100 });
  };
}

/** Throws JobError `invalid_data` if another version, or other columns, were measured. */
function restore(saved: string, columns: readonly CodedColumn[], jobId: string | null): PrivateModel {
  const found = privateModelSchema.safeParse(JSON.parse(saved));
  if (found.success && found.data.columns.map(({ name }) => name).join() === columns.map(({ name }) => name).join())
    return found.data;
  throw new JobError({ reason: 'model_of_other_version', job_id: jobId });
}

/** In the file's order, which is no secret. */
function codedColumns(cells: CellTable, request: PrivateRequest): CodedColumn[] {
  const named = new Set(namedColumns(request).map(({ name }) => name));
  return cells.columns.flatMap(({ name }) => {
    const domain = named.has(name) ? request.domain?.[name] : undefined;
    return domain ? [codeColumn(columnOf(cells, name), domain)] : [];
  });
}

const tableOf = (columns: readonly CodedColumn[]): ModelTable => ({
  rows: columns[0]?.codes.length ?? 0,
  columns: new Map(columns.map((column) => [column.name, decodeColumn(column)])),
});

/** Reports to the owner how the domain altered cells. */
const alteredNotes = (columns: readonly CodedColumn[]): string[] =>
  columns
    .filter(({ altered }) => altered > 0)
    .map(
      ({ name, altered }) =>
        `${counted(altered, 'cell')} of column ${quoted(name)} ${altered === 1 ? 'lies' : 'lie'} outside its domain: other levels and what is no number counted as missing, numbers were moved to the nearer end.`,
    );

function guaranteeOf(
  { privacy: { epsilon, delta } }: PrivateRequest,
  columns: readonly CodedColumn[],
  { model, saved, spent }: { model: PrivateModel; saved: string; spent: number },
): FormalPrivacy {
  const rho = rhoOf(epsilon, delta);
  return {
    unit: 'row',
    epsilon,
    delta,
    rho,
    spent,
    columns_measured: model.columns.length,
    pairs_measured: model.pairs.length,
    measurements_sha256: createHash('sha256').update(saved).digest('hex'),
    expected_total_variation: expectedVariation(rho, model.total, columns),
    figures_for_owner: true,
  };
}
