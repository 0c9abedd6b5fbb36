/**
 * `synthetic-tables/numerics`: the numerical methods behind the models, on plain arrays.
 *
 * @packageDocumentation
 */
export { kendallTau } from './copula/kendallTau.ts';
export { fitVine } from './copula/vine/fitVine.ts';
export type { VineHooks, VineSettings } from './copula/vine/settings.ts';
export { inverseRosenblatt, rosenblatt, simulateVine, vineLogDensity } from './copula/vine/simulateVine.ts';
export { restoreVine, type SavedVine, saveVine, type Vine, type VineData } from './copula/vine/vine.ts';
export type { FamilyName } from './distributions/families.ts';
export { familyOf } from './distributions/families.ts';
export type { ResponseFamily } from './distributions/family.ts';
export { conjugateGradient } from './linalg/conjugateGradient.ts';
export { cholesky, pivotedQr, solveCholesky } from './linalg/dense.ts';
export { type ChainOptions, type ChainResult, runChain } from './mcmc/chain.ts';
export { bulkEss, ebfmi, rHat, tailEss } from './mcmc/diagnostics.ts';
export type { LogDensity } from './mcmc/hamiltonian.ts';
export { type LbfgsSettings, lbfgs, type Minimum, type Objective } from './optimise/lbfgs.ts';
export { createStream } from './random/createStream.ts';
export type { RandomStream } from './random/stream.ts';
export type { Predictor } from './regression/design/design.ts';
export type { LeaveOneOut } from './regression/leaveOneOut.ts';
export { type PredictiveModel, predictResponse } from './regression/predict.ts';
export {
  NoDensityError,
  type RegressionProblem,
  type RegressionProgress,
  type RegressionRun,
  type SampledRegression,
  sampleRegression,
} from './regression/sampleRegression.ts';
export type { Diagnostics, ParameterConvergence } from './regression/samplingTask.ts';
export { digamma, lgamma } from './special/gamma.ts';
export { betaP, gammaP, gammaQ, studentTCdf } from './special/incomplete.ts';
export { normalCdf, normalPdf, normalQuantile } from './special/normal.ts';
export { type BoostedTrees, type BoostingSettings, fitBoostedTrees, fitRegressionTree } from './trees/boostedTrees.ts';
export { fitClassificationTree } from './trees/classificationTree.ts';
