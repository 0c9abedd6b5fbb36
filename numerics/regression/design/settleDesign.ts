/** Takes aliased columns out of a draft and numbers the others anew. */
import type { Steps } from '../steps.ts';
import { applyDesign } from './applyDesign.ts';
import type { Design, Part } from './design.ts';
import type { Draft } from './draft.ts';
import { findAliased } from './findAliased.ts';
import type { Predictor } from './predictors.ts';

/** @param predictors the learning rows, n. */
export function* settleDesign(draft: Draft, predictors: readonly Predictor[], n: number): Steps<Design> {
  const bare = draft.columns.map(({ name, perUnit }) => ({ name, perUnit, sd: 0 }));
  const x = applyDesign({ columns: bare, parts: draft.parts }, predictors, n);
  yield;
  const pooled = draft.columns.map(() => false);
  for (const pool of draft.pools) for (const column of pool.columns) pooled[column] = true;
  const names = bare.map(({ name }) => name);
  const { dropped, sds } = findAliased(x, pooled, names);
  const kept = bare.map((_, j) => j).filter((j) => !dropped.has(j));
  const placeOf = new Map(kept.map((j, place) => [j, place]));
  const renumber = (place: number): number => (place < 0 ? place : (placeOf.get(place) ?? -1));
  const pools = draft.pools.map(({ name, columns, sds: priorSds }) => ({
    name,
    columns: columns.map(renumber).filter((place) => place >= 0),
    sds: priorSds.filter((_, k) => renumber(columns[k]!) >= 0),
  }));
  return {
    columns: kept.map((j) => ({ ...bare[j]!, sd: sds[j]! })),
    pools: pools.filter(({ columns }) => columns.length > 0),
    parts: draft.parts.map((part) => renumberPart(part, renumber)),
    dropped: [...draft.dropped, ...Array.from(dropped, ([j, reason]) => ({ name: names[j]!, reason }))],
  };
}

function renumberPart(part: Part, renumber: (place: number) => number): Part {
  if (part.kind === 'number') {
    return {
      ...part,
      slope: renumber(part.slope),
      missing: renumber(part.missing),
      bends: part.bends.map(renumber),
    };
  }
  if (part.kind === 'leaves') return { ...part, places: part.places.map((places) => places.map(renumber)) };
  return {
    ...part,
    places: part.places.map(renumber),
    missing: renumber(part.missing),
    unseen: { ...part.unseen, places: part.unseen.places.map(renumber) },
  };
}
