/** Generates entities with their rows: constant columns first, then row after row. */
import type { ProgressEvent } from '../../../contract/events.ts';
import { nearSequences } from '../../disclosure/avoidCopies.ts';
import type { ModelTable } from '../../models/model.ts';
import { startsOf } from '../../table/entityRows.ts';
import type { Generator, OpenedTable, OpenTask } from '../method.ts';
import { announceFamily, openPlan, planOf, restoredNote, rowsSplit } from '../openPlan.ts';
import { crossFitter } from '../rows/crossFitter.ts';
import { isOfTarget } from '../rows/fitRows.ts';
import { restoreModels, saveModels } from '../savedModels.ts';
import type { ArrangedTable } from './arrangeEntities.ts';
import { redrawEntities } from './redrawEntities.ts';
import { planSequences, type SequencePlan } from './sequencePlan.ts';
import {
  type FittedSequences,
  fitSequences,
  generateSequences,
  holdOutEntities,
  seedColumnsOf,
  sequenceNotes,
} from './sequences.ts';

export async function openEntities(
  task: OpenTask,
  { cells, entity, notes: arranged }: ArrangedTable,
): Promise<OpenedTable> {
  const { request, source, fitting, progress, openText } = task;
  // Sequence models learn relations with exceptions themselves.
  const { table, notes, ...planned } = openPlan(task, cells, { entity, withoutExceptions: true });
  notes.unshift(...arranged);
  await announceFamily(task, planned.plan, notes);
  const { plan, sequences } = planSequences(planned.plan, table, request, notes);
  const { key, constants } = sequences;
  const split = holdOutEntities(table, key, fitting.child('holdout'));

  return {
    plan,
    real: table,
    split,
    isSplit: false,
    notes,
    entities: { key, constants: new Set(constants) },
    refit: (random) => crossFitter(plan, random, progress),
    crossFits: { withoutHoldout: false, attacks: false },
    async fit() {
      await progress.onProgress(entitiesFound(table, sequences));
      await progress.onProgress(rowsSplit(split));
      const random = fitting.child('fit');
      const fitted = await fitSequences({ plan: sequences, table, train: split.train, random, progress, openText });
      notes.push(...sequenceNotes(fitted));
      return generatorOf(fitted);
    },
    async restore(saved) {
      const { models, verdicts, sequence } = restoreModels(saved, source!.jobId, plan, openText);
      await progress.onProgress({ stage: 'fit', fact: 'models_restored', models: models.length + 1 });
      notes.unshift(restoredNote(source!));
      const { ofEntities, meanLength, rows } = sequence!;
      const isGiven = source!.request.conditions.length > 0;
      const generator = generatorOf({
        plan: { ...sequences, ofEntities: planOf(sequences.ofEntities, source) },
        ofEntities: models.slice(0, ofEntities),
        besideRows: models.slice(ofEntities),
        train: split.train,
        rows,
        meanLength,
        seedColumns: isGiven ? seedColumnsOf(sequences, split.train, fitting.child('fit')) : null,
      });
      return { ...generator, verdicts };
    },
  };

  function generatorOf(fitted: FittedSequences): Generator {
    const models = [...fitted.ofEntities, ...fitted.besideRows];
    const drawing = { plan, fitted, progress };
    return {
      models,
      drawsTargetInSequence: fitted.besideRows.some(isOfTarget),
      draw: (random, said) => generateSequences({ ...drawing, notes: said }, request, random),
      disclosure: {
        redraw: (drawn, breach, random) => redrawEntities(drawing, drawn, breach, random),
        copies: (random) => nearSequences(plan, key, split, random),
      },
      promise: null,
      verdicts: [],
      save: (verdicts) => saveModels({ seed: task.seed, plan, models, sequences: fitted, verdicts }),
    };
  }
}

const entitiesFound = (table: ModelTable, { key, constants, columns }: SequencePlan): ProgressEvent => ({
  stage: 'plan',
  fact: 'entities_found',
  entities: startsOf(table, key).length - 1,
  rows: table.rows,
  constant: constants.length,
  changing: columns.length,
});
