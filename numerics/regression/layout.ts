/** Where each number of a position belongs: θ (predictors in order), then the logarithms of the pools' scales. */
import type { Link, ResponseFamily } from '../distributions/family.ts';
import type { Matrix, PredictorSpec, Prior } from './spec.ts';

export interface PredictorPlace {
  parameter: string;
  link: Link;
  /** First entry in θ. */
  at: number;
  /** Entries in θ: p, or 1. */
  size: number;
  /** Null for a constant. */
  design: Matrix | null;
}

/** A predictor without its matrix. */
export type PredictorShape = Extract<PredictorSpec, { kind: 'constant' }> | Omit<LinearSpec, 'design'>;
type LinearSpec = Extract<PredictorSpec, { kind: 'linear' }>;

export interface PoolPlace {
  name: string;
  /** Entries of θ. */
  members: Int32Array;
  sds: Float64Array;
  scale: Prior;
}

export interface Layout {
  /** Length of θ. */
  size: number;
  names: string[];
  /** Prior of each entry of θ on its natural scale; `null` where a pool gives it. */
  priors: (Prior | null)[];
  /** Link of each entry: identity for coefficients. */
  links: Link[];
  pools: PoolPlace[];
}

/** Entries of coefficients of other predictors than the first carry the parameter's name, as brms has it: `sigma_age`. */
export function layOut(family: ResponseFamily, predictors: readonly PredictorShape[]): Layout {
  const layout: Layout = { size: 0, names: [], priors: [], links: [], pools: [] };
  const scaleNames: string[] = [];
  predictors.forEach((predictor, k) => {
    const prefix = k === 0 ? '' : `${predictor.parameter}_`;
    if (predictor.kind === 'constant') {
      layout.names.push(predictor.parameter);
      layout.priors.push(predictor.prior);
      layout.links.push(family.parameters[k]!.link);
      layout.size += 1;
      return;
    }
    const at = layout.size;
    predictor.names.forEach((name, j) => {
      layout.names.push(prefix + name);
      layout.priors.push(predictor.priors[j]!);
      layout.links.push('identity');
    });
    for (const pool of predictor.pools) {
      const members = pool.columns.map((j) => at + j);
      for (const member of members) layout.priors[member] = null;
      layout.pools.push({ name: prefix + pool.name, members, sds: pool.sds, scale: pool.scale });
      scaleNames.push(`sd(${prefix}${pool.name})`);
    }
    layout.size += predictor.names.length;
  });
  layout.names.push(...scaleNames);
  return layout;
}

/** The places of predictors in θ. */
export function placePredictors(family: ResponseFamily, predictors: readonly PredictorSpec[]): PredictorPlace[] {
  let at = 0;
  return predictors.map((predictor, k) => {
    const design = predictor.kind === 'linear' ? predictor.design : null;
    const place = {
      parameter: predictor.parameter,
      link: family.parameters[k]!.link,
      at,
      size: design?.cols ?? 1,
      design,
    };
    at += place.size;
    return place;
  });
}
