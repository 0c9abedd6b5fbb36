/** Maps roles of columns to models. */
import type { Role } from '../../contract/columns.ts';
import { categoryChain } from './categorical/categoryChain.ts';
import { redrawnLabels } from './categorical/redrawnLabels.ts';
import { leafRankVine } from './copula/leafRankVine.ts';
import { identifierPattern } from './identifier/identifierPattern.ts';
import type { Model } from './model.ts';
import { bayesianRegression } from './regression/bayesianRegression.ts';
import { bayesianLogistic } from './regression/labels/bayesianLogistic.ts';
import { languageModel } from './text/languageModel.ts';

/** Identifiers are generated whatever their role. */
export type ModelledRole = Exclude<Role, 'ignore'> | 'identifier';

/** `label` redraws categories given the numbers. */
export type ModelRole = ModelledRole | 'target_label' | 'label';

export const MODELS: Readonly<Record<ModelRole, Model>> = {
  target: bayesianRegression,
  target_label: bayesianLogistic,
  continuous: leafRankVine,
  categorical: categoryChain,
  label: redrawnLabels,
  text: languageModel,
  identifier: identifierPattern,
};
