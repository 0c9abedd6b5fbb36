/** Checks a row against earlier rows of its entity. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { ModelColumn } from '../../models/model.ts';
import type { Within } from './withinEntities.ts';

export type Made = Map<string, ModelColumn>;

export interface StepCheck {
  mark(entities: Int32Array, made: Made, kept: Uint8Array): void;
  accept(entities: Int32Array, made: Made): void;
}

export const checksOf = (within: readonly Within[], random: RandomStream): StepCheck[] =>
  within.flatMap((relation) => {
    if (relation.kind === 'distinct') return [distinctCheck(relation, random.child(relation.columns.join(' ')))];
    if (relation.kind === 'rises' || relation.kind === 'falls') return [directionCheck(relation)];
    return [];
  });

/** Excuses as many repeats as in the data, chosen in the first draw. */
function distinctCheck({ columns, repeats }: Extract<Within, { kind: 'distinct' }>, random: RandomStream): StepCheck {
  const seen = new Map<number, Set<string>>();
  const keyOf = (made: Made, row: number): string => columns.map((name) => cellIn(made.get(name), row)).join(' ');
  let excused: Set<number> | null = null;
  return {
    mark(entities, made, kept) {
      const equal = Int32Array.from(entities.keys()).filter((row) => seen.get(entities[row]!)?.has(keyOf(made, row)));
      if (!excused) {
        const share = (repeats * entities.length) / Math.max(1, equal.length);
        excused = new Set([...equal].filter(() => random.uniform() < share).map((row) => entities[row]!));
      }
      for (const row of equal) if (!excused.has(entities[row]!)) kept[row] = 0;
    },
    accept(entities, made) {
      excused = null;
      entities.forEach((entity, row) => {
        const own = seen.get(entity);
        if (own) own.add(keyOf(made, row));
        else seen.set(entity, new Set([keyOf(made, row)]));
      });
    },
  };
}

const cellIn = (column: ModelColumn | undefined, row: number): number =>
  column?.kind === 'numeric' ? column.values[row]! : column?.kind === 'category' ? column.codes[row]! : 0;

function directionCheck({ kind, column, strict }: Extract<Within, { kind: 'rises' | 'falls' }>): StepCheck {
  const sign = kind === 'rises' ? 1 : -1;
  const last = new Map<number, number>();
  return {
    mark(entities, made, kept) {
      entities.forEach((entity, row) => {
        const change = sign * (cellIn(made.get(column), row) - (last.get(entity) ?? Number.NaN));
        if (change < 0 || (strict && change === 0)) kept[row] = 0;
      });
    },
    accept(entities, made) {
      entities.forEach((entity, row) => {
        last.set(entity, cellIn(made.get(column), row));
      });
    },
  };
}
