import type { ColumnProfile } from '../../contract/columns.ts';
import { ServiceError } from '../../contract/errors.ts';
import { type FamilyChoice, LABEL_LEVELS, type TargetFamily } from '../../contract/families.ts';
import type { TableRequest } from '../../contract/requests.ts';
import { isNumeric } from '../../tables/detect/kinds.ts';
import { counted } from '../../words/wording.ts';
import { SURE_ROWS } from '../disclosure/thresholds.ts';

type Asked = Pick<TableRequest, 'family' | 'keep_rare'>;

export const hasLabels = (column: ColumnProfile, rows: number): boolean =>
  column.kind === 'categorical' && !isNumeric(column.numbers, rows - column.missing);

/** Any column for `categorical`; categories also for `auto` and `bernoulli`. */
export const isLabelTarget = (column: ColumnProfile, rows: number, family: Asked['family']): boolean =>
  family === 'categorical' || ((family === 'auto' || family === 'bernoulli') && hasLabels(column, rows));

/** Throws `invalid_parameter` for too many or few labels, or an unsuitable family. */
export function requireLabels(column: ColumnProfile, { family, keep_rare }: Asked): void {
  const { name, distinct } = column;
  if (distinct > LABEL_LEVELS.most) {
    const params = { column: name, levels: distinct, max: LABEL_LEVELS.most };
    throw new ServiceError({ reason: 'target_of_many_levels', ...params }, { field: 'target_col' });
  }
  const min = keep_rare ? 1 : SURE_ROWS;
  if (levelsOf(column, min) < LABEL_LEVELS.least)
    throw new ServiceError({ reason: 'target_of_one_level', column: name, min }, { field: 'target_col' });
  if (family === 'auto' || family === 'categorical' || (family === 'bernoulli' && distinct === 2)) return;
  const instead = familyOfLabels(distinct);
  throw new ServiceError(
    { reason: 'family_without_labels', column: name, family, levels: distinct, instead },
    { field: 'family' },
  );
}

/** Counts unlisted levels as frequent enough. */
function levelsOf({ distinct, top_levels }: ColumnProfile, min: number): number {
  const rare = top_levels.filter(([, rows]) => rows < min).length;
  return distinct - rare;
}

const familyOfLabels = (levels: number): TargetFamily => (levels === 2 ? 'bernoulli' : 'categorical');

export const labelChoice = ({ distinct }: ColumnProfile): FamilyChoice => ({
  family: familyOfLabels(distinct),
  reason: `Its cells are ${counted(distinct, 'label')}: ${distinct === 2 ? 'a logistic regression says which of the two' : 'logistic regressions say which of them, one after the other'}.`,
  candidates: [],
  runner_up: null,
  rows: 0,
  predictors: [],
});
