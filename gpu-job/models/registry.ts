/** Which model makes the columns of which role. */
import type { Role } from '../../domain/profile/profile.ts';
import { empiricalChain } from './categorical/empiricalChain.ts';
import { gaussianCopula } from './copula/gaussianCopula.ts';
import type { Model } from './model.ts';
import { closedFormRegression } from './regression/closedForm.ts';
import { characterMarkov } from './text/characterMarkov.ts';

export type ModelledRole = Exclude<Role, 'ignore'>;

export const MODELS: Readonly<Record<ModelledRole, Model>> = {
  target: closedFormRegression,
  continuous: gaussianCopula,
  categorical: empiricalChain,
  text: characterMarkov,
};
