/** Which model makes the columns of which role. A new model is a folder of its own and a line here. */
import type { Role } from '../../contract/columns.ts';
import { categoryChain } from './categorical/categoryChain.ts';
import { redrawnLabels } from './categorical/redrawnLabels.ts';
import { leafRankVine } from './copula/leafRankVine.ts';
import { identifierPattern } from './identifier/identifierPattern.ts';
import type { Model } from './model.ts';
import { bayesianRegression } from './regression/bayesianRegression.ts';
import { bayesianLogistic } from './regression/labels/bayesianLogistic.ts';
import { languageModel } from './text/languageModel.ts';

/** Roles that a request gives, and that of identifiers: new ones are generated, whatever list they are in. */
export type ModelledRole = Exclude<Role, 'ignore'> | 'identifier';

/** What has a model: a role, a target of labels, or the categories that are drawn again when the numbers are there. */
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
