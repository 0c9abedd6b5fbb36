/** Turns measures and model diagnostics into a job's metrics. */
import { z } from 'zod';
import { TEXT_WRITERS } from '../../contract/events.ts';
import { type LabelCalibration, labelCalibrationSchema } from '../../contract/labels.ts';
import type { JobMetrics, TextMetrics } from '../../contract/metrics.ts';
import { type JobRegression, regressionMetricsSchema } from '../../contract/regressionMetrics.ts';
import { counted, quoted } from '../../words/wording.ts';
import { type FittedRole, isOfTarget } from '../methods/rows/fitRows.ts';
import type { FittedModel } from '../models/model.ts';
import { MODELS } from '../models/registry.ts';
import type { Plan } from '../plan/plan.ts';
import type { AssociationsReport } from '../report/associationsReport.ts';
import type { Split } from '../table/split.ts';
import { type AllMeasures, measureNotes } from './measureAll.ts';

/** Maximum pairs named for differing associations. */
const NAMED_GAPS = 10;

export function toMetrics(
  measures: AllMeasures,
  associations: AssociationsReport,
  notes: readonly string[],
  { plan, models, drawsTargetInSequence, split }: Modelled,
): Omit<JobMetrics, 'rows_generated' | 'columns' | 'seed' | 'version' | 'release' | 'verdicts'> {
  const regression = regressionOf({ plan, models, drawsTargetInSequence, split });
  const made = models.flatMap((model) => {
    if (isOfTarget(model) && regression?.drawn_by === 'sequence') return [describedNote(regression)];
    const of = isOfTarget(model) ? 'the target' : `${model.role} columns`;
    return [`Model of ${of}: ${MODELS[model.role].name}.`, ...notesOf(model.fitted)];
  });
  return {
    ...withLargestDifferences(measures, associations),
    text: measures.text && withWriters(measures.text, models),
    regression,
    notes: [...notes, ...made, ...measureNotes(measures)],
  };
}

function withLargestDifferences(measures: AllMeasures, { differences, rows }: AssociationsReport): AllMeasures {
  const largest_gaps = differences?.largest.slice(0, NAMED_GAPS) ?? [];
  const looked = rows ? { associations_real: rows.real, associations_synthetic: rows.synthetic } : {};
  return {
    ...measures,
    fidelity: { ...measures.fidelity, largest_gaps },
    sample_sizes: { ...measures.sample_sizes, ...looked },
  };
}

const writersSchema = z.object({
  writers: z.record(z.string(), z.enum(TEXT_WRITERS)),
  from_base: z.boolean().nullable(),
});

/** Names each column's writer, on which advice depends. */
function withWriters(text: TextMetrics, models: readonly FittedRole[]): TextMetrics {
  const said = writersSchema.safeParse(models.find(({ role }) => role === 'text')?.fitted.diagnostics());
  if (!said.success) return text;
  const { from_base, writers } = said.data;
  const columns = text.columns.map((of) => ({ ...of, writer: writers[of.column] ?? null }));
  return { ...text, from_base, columns };
}

interface Modelled {
  plan: Plan;
  models: readonly FittedRole[];
  drawsTargetInSequence: boolean;
  split: Split;
}

function regressionOf({ plan, models, drawsTargetInSequence, split }: Modelled): JobRegression | null {
  const target = models.find(isOfTarget);
  const said = regressionMetricsSchema.nullable().parse(target?.fitted.diagnostics().regression ?? null);
  const label = said?.label && { ...said.label, calibration: calibrationOf(target, split) };
  return (
    said && {
      ...said,
      label: label ?? null,
      family_choice: plan.familyChoice,
      drawn_by: drawnBy({ plan, drawsTargetInSequence }),
    }
  );
}

/** Null without enough held-out rows. */
const calibrationOf = (target: FittedRole | undefined, { holdout }: Split): LabelCalibration | null =>
  labelCalibrationSchema.nullable().parse((holdout && target?.fitted.assess?.(holdout)) ?? null);

function drawnBy({
  plan,
  drawsTargetInSequence,
}: Pick<Modelled, 'plan' | 'drawsTargetInSequence'>): JobRegression['drawn_by'] {
  if (plan.columns.some(({ role, derivation }) => role === 'target' && derivation !== null)) return 'relation';
  return drawsTargetInSequence ? 'sequence' : 'regression';
}

const describedNote = ({ target, family, parameters, rows, summary }: JobRegression): string =>
  `Target ${quoted(target)}: drawn row by row with the other columns of its entity. A regression describes it (${family}, ${counted(parameters, 'parameter')} from one row of each entity, ${counted(rows, 'row')}); family and draws change that alone. ${summary}`;

function notesOf(fitted: FittedModel): string[] {
  const { notes } = fitted.diagnostics();
  return Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : [];
}
