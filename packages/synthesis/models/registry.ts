/** Which model makes the columns of which role. A new model is a folder of its own and a line here. */
import type { Role } from '../../contract/columns.ts';
import { treeChain } from './categorical/treeChain.ts';
import { leafRankVine } from './copula/leafRankVine.ts';
import { identifierPattern } from './identifier/identifierPattern.ts';
import type { Model } from './model.ts';
import { bayesianRegression } from './target/bayesianRegression.ts';
import { languageModel } from './text/languageModel.ts';

/** Roles that a request gives, and that of identifiers: new ones are generated, whatever list they are in. */
export type ModelledRole = Exclude<Role, 'ignore'> | 'identifier';

export const MODELS: Readonly<Record<ModelledRole, Model>> = {
  target: bayesianRegression,
  continuous: leafRankVine,
  categorical: treeChain,
  text: languageModel,
  identifier: identifierPattern,
};
