/**
 * A family with atoms falls into regressions that share no coefficient: their posteriors are independent, and each is
 * drawn from in the way that suits it.
 */
import { familyOf } from '../../../numerics/distributions/families.ts';
import { openPosterior } from '../../../numerics/regression/createPosterior.ts';
import { prepareRegression } from '../../../numerics/regression/prepareRegression.ts';
import type { PredictorSpec, RegressionSpec } from '../../../numerics/regression/spec.ts';
import type { SpecPart } from '../../../numerics/regression/splitAtoms.ts';
import type { PosteriorDraws, PosteriorTask } from './posteriorTask.ts';

/** Draws of the whole from draws of its parts, which `draw` gives one after the other. */
export async function drawParts(
  task: PosteriorTask,
  parts: readonly SpecPart[],
  draw: (task: PosteriorTask) => Promise<PosteriorDraws>,
): Promise<PosteriorDraws> {
  const drawn: PosteriorDraws[] = [];
  for (const [k, { spec, entries }] of parts.entries()) {
    const own = ownNames(spec);
    const what = spec.predictors[0]!.parameter;
    const report = (line: string): Promise<void> => task.report(line.replace(/^Sampling/, `Sampling of ${what}`));
    const start = Float64Array.from(entries, (at) => task.start[at]!);
    drawn.push(await draw({ ...task, spec: own, start, report, random: task.random.child(`part ${k}`) }));
  }
  return joined(task, parts, drawn);
}

/** The part as a regression of its own family, whose parameters have other names. */
export function ownNames(spec: RegressionSpec): RegressionSpec {
  const names = familyOf(spec.family).parameters.map(({ name }) => name);
  return {
    ...spec,
    predictors: spec.predictors.map((own, k): PredictorSpec => ({ ...own, parameter: names[k]! })),
  };
}

function joined(task: PosteriorTask, parts: readonly SpecPart[], drawn: readonly PosteriorDraws[]): PosteriorDraws {
  const posterior = openPosterior(prepareRegression(task.spec));
  const d = posterior.dimension;
  const chains = drawn[0]!.chains.map((_, c) => {
    const whole = new Float64Array(task.draws * d);
    parts.forEach(({ entries }, k) => {
      const own = drawn[k]!.chains[c]!;
      const size = entries.length;
      for (let i = 0; i < task.draws; i++)
        for (let j = 0; j < size; j++) whole[i * d + entries[j]!] = own[i * size + j]!;
    });
    return whole;
  });
  const shapes = drawn.flatMap(({ paretoShape }) => (paretoShape === null ? [] : [paretoShape]));
  const known = (of: (part: PosteriorDraws) => number): number[] => drawn.map(of).filter((x) => !Number.isNaN(x));
  const least = (of: (part: PosteriorDraws) => number): number =>
    known(of).length > 0 ? Math.min(...known(of)) : Number.NaN;
  const sum = (of: (part: PosteriorDraws) => number): number => drawn.reduce((all, part) => all + of(part), 0);
  return {
    posterior,
    chains,
    tune: Math.max(...drawn.map(({ tune }) => tune)),
    worstRHat: -least(({ worstRHat }) => -worstRHat),
    leastBulkEss: least(({ leastBulkEss }) => leastBulkEss),
    leastTailEss: least(({ leastTailEss }) => leastTailEss),
    divergences: sum(({ divergences }) => divergences),
    depthExceeded: sum(({ depthExceeded }) => depthExceeded),
    leastEnergyFraction: least(({ leastEnergyFraction }) => leastEnergyFraction),
    paretoShape: shapes.length > 0 ? Math.max(...shapes) : null,
    converged: drawn.every(({ converged }) => converged),
  };
}
