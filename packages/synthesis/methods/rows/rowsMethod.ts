/** Generates each row independently, column by column, with one model per role. */
import { asksForHeldOut } from '../../../contract/releasePolicy.ts';
import type { Profile } from '../../../tables/profile/profile.ts';
import { rowCopies } from '../../disclosure/avoidCopies.ts';
import { affordsAttackFolds } from '../../estimate/estimateJob.ts';
import type { SeedColumns } from '../../plan/conditions.ts';
import { fitSeedColumns } from '../../plan/conditions.ts';
import type { ArrangedTable } from '../entities/arrangeEntities.ts';
import type { CrossFits, Generator, OpenedTable, OpenTask } from '../method.ts';
import { announceFamily, openPlan, restoredNote, rowsSplit } from '../openPlan.ts';
import { restoreModels, saveModels } from '../savedModels.ts';
import { crossFitter } from './crossFitter.ts';
import { type FittedRole, fitIdentifiers, fitModels } from './fitRows.ts';
import { generateTable } from './generateRows.ts';
import { holdOut } from './holdOut.ts';
import { redrawRows } from './redrawRows.ts';

export async function openRows(task: OpenTask, { cells, notes: arranged }: ArrangedTable): Promise<OpenedTable> {
  const { real, request, source, fitting, progress, openText } = task;
  const { plan, table, notes } = openPlan(task, cells, {});
  notes.unshift(...arranged);
  await announceFamily(task, plan, notes);
  const split = holdOut(table, request.target_col, fitting.child('holdout'));
  const stream = fitting.child('fit');
  const seedColumns = (): SeedColumns | null => fitSeedColumns(plan, split.train, stream.child('starts'));

  return {
    plan,
    real: table,
    split,
    isSplit: false,
    notes,
    entities: null,
    refit: (random) => crossFitter(plan, random, progress),
    crossFits: crossFitsOf(task, real.profile),
    async fit() {
      await progress.onProgress(rowsSplit(split));
      const models = [
        ...(await fitModels({ plan, table: split.train, random: stream, progress, openText })),
        ...(await fitIdentifiers({ plan, table, random: stream, progress })),
      ];
      return generatorOf(models, seedColumns());
    },
    async restore(saved) {
      const { models, verdicts } = restoreModels(saved, source!.jobId, plan, openText);
      await progress.onProgress({ stage: 'fit', fact: 'models_restored', models: models.length });
      notes.unshift(restoredNote(source!));
      const isGiven = source!.request.conditions.length > 0;
      return { ...generatorOf(models, isGiven ? seedColumns() : null), verdicts };
    },
  };

  function generatorOf(models: readonly FittedRole[], starts: SeedColumns | null): Generator {
    const drawing = { plan, models, seedColumns: starts, progress };
    const rows = request.n_entities ?? request.n_samples;
    return {
      models,
      drawsTargetInSequence: false,
      draw: (random, said) => generateTable({ ...drawing, rows, random, notes: said }),
      disclosure: {
        redraw: (drawn, breach, random) => redrawRows(drawing, drawn, breach, random),
        copies: () => rowCopies(plan, table),
      },
      promise: null,
      verdicts: [],
      save: (verdicts) => saveModels({ seed: task.seed, plan, models, verdicts }),
    };
  }
}

function crossFitsOf({ request, source }: OpenTask, profile: Profile): CrossFits {
  if (!source) return { withoutHoldout: true, attacks: affordsAttackFolds(profile, request) };
  return { withoutHoldout: request.policy !== null && asksForHeldOut(request.policy), attacks: false };
}
