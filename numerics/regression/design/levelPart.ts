/**
 * Effects of a category's levels; missing is a level of its own. With four levels or more, or where one is rare, all have
 * effects that share a learnt scale (partial pooling), and a level that was never seen has the pool's mean, zero. With two
 * or three well-filled levels there is nothing to learn a scale from: effects against the most frequent one.
 */
import type { LevelPart } from './design.ts';
import type { Draft } from './draft.ts';
import type { RowFiller } from './fillRows.ts';
import type { CategoryPredictor } from './predictors.ts';

/** Levels from which a scale can be learnt (Gelman, 2006: with fewer than five groups there is little to learn from). */
const LEAST_POOLED = 4;

export const LEAST_LEVEL_ROWS = 5;

/** A level (-1: missing) and its rows. */
export interface LevelCount {
  code: number;
  rows: number;
}

/** Levels that occur, the most frequent first. */
export function countLevels({ codes, levels }: CategoryPredictor): LevelCount[] {
  const counts = new Float64Array(levels.length + 1);
  for (const code of codes) counts[isLevel(code, levels.length) ? code : levels.length]!++;
  return Array.from(counts, (rows, code) => ({ code: code < levels.length ? code : -1, rows }))
    .filter(({ rows }) => rows > 0)
    .sort((a, b) => b.rows - a.rows || a.code - b.code);
}

/** @param room levels that may have effects of their own, at most; the others share one. */
export function draftLevels(draft: Draft, predictor: CategoryPredictor, room: number): void {
  const counts = countLevels(predictor);
  if (counts.length < 2) {
    draft.drop(predictor.name, counts[0]?.code === -1 ? 'every cell is missing' : 'all its values are equal');
    return;
  }
  if (room < 1) {
    draft.drop(predictor.name, 'there is no room for its levels');
    return;
  }
  const isPooled = counts.length >= LEAST_POOLED || counts.some(({ rows }) => rows < LEAST_LEVEL_ROWS);
  draft.parts.push(isPooled ? pooled(draft, predictor, counts, room) : againstLargest(draft, predictor, counts));
}

function pooled(draft: Draft, predictor: CategoryPredictor, counts: LevelCount[], room: number): LevelPart {
  const part = emptyPart(predictor);
  const kept = counts.filter(({ rows }) => rows >= LEAST_LEVEL_ROWS).slice(0, room);
  const columns = kept.map(({ code }) => setPlace(part, code, draft.addColumn(levelName(predictor, code), null)));
  if (kept.length < counts.length) {
    const others = counts.slice(kept.length);
    const name = others.length === 1 ? levelName(predictor, others[0]!.code) : `${predictor.name} is a rare level`;
    const place = draft.addColumn(name, null);
    for (const { code } of others) setPlace(part, code, place);
    columns.push(place);
  }
  draft.addPool(`levels of ${predictor.name}`, columns, 1);
  return part;
}

function againstLargest(draft: Draft, predictor: CategoryPredictor, counts: LevelCount[]): LevelPart {
  const part = emptyPart(predictor);
  for (const { code, rows } of counts.slice(1)) {
    const place = setPlace(part, code, draft.addColumn(levelName(predictor, code), 1));
    part.unseen.places.push(place);
    part.unseen.shares.push(rows / predictor.codes.length);
  }
  // The largest level has no column, and is no unseen one: an empty place of its own.
  setPlace(part, counts[0]!.code, -1);
  return part;
}

/** -2 marks levels that are in the dictionary and in no learning row: they are as unseen as others. */
const UNSEEN = -2;

const emptyPart = ({ name, levels }: CategoryPredictor): LevelPart => ({
  kind: 'levels',
  name,
  levels: [...levels],
  places: levels.map(() => UNSEEN),
  missing: UNSEEN,
  unseen: { places: [], shares: [] },
});

function setPlace(part: LevelPart, code: number, place: number): number {
  if (code < 0) part.missing = place;
  else part.places[code] = place;
  return place;
}

const levelName = ({ name, levels }: CategoryPredictor, code: number): string =>
  code < 0 ? `${name} is missing` : `${name} = ${levels[code]}`;

const isLevel = (code: number, levels: number): boolean => code >= 0 && code < levels;

export function levelFiller(part: LevelPart, { codes, levels }: CategoryPredictor): RowFiller {
  const known = new Map(part.levels.map((level, code) => [level, part.places[code]!]));
  const places = Int32Array.from(levels, (level) => known.get(level) ?? UNSEEN);
  const { unseen } = part;
  const unseenSize = unseen.places.filter((place) => place >= 0).length;
  const placeOf = (row: number): number => {
    const code = codes[row]!;
    return isLevel(code, places.length) ? places[code]! : part.missing;
  };
  return {
    size: (row) => {
      const place = placeOf(row);
      return place >= 0 ? 1 : place === UNSEEN ? unseenSize : 0;
    },
    fill: (row, put) => {
      const place = placeOf(row);
      if (place >= 0) put(place, 1);
      else if (place === UNSEEN) {
        for (let k = 0; k < unseen.places.length; k++) {
          if (unseen.places[k]! >= 0) put(unseen.places[k]!, unseen.shares[k]!);
        }
      }
    },
  };
}
