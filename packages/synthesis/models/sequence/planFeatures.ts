import type { ModelTable } from '../model.ts';
import { kindsOfAspect, type SequenceFeature } from './features.ts';
import { type Aspect, type ColumnKind, OWN_ASPECTS } from './history.ts';
import type { SequenceColumn } from './sequenceModel.ts';

const MAX_CONSTANTS = 24;
const MAX_OTHERS = 40;

export function constantFeatures(constants: ModelTable): SequenceFeature[] {
  return [...constants.columns.values()]
    .filter(({ kind }) => kind !== 'text')
    .slice(0, MAX_CONSTANTS)
    .map((column) => ({
      from: 'constant' as const,
      name: column.name,
      levels: column.kind === 'category' ? [...column.levels] : null,
    }));
}

export function planFeatures(
  table: ModelTable,
  constants: ModelTable,
  columns: readonly SequenceColumn[],
): SequenceFeature[][] {
  const kindOf = (name: string): ColumnKind => (kindsIn(table, name) === 0 ? 'numeric' : 'category');
  const past = (name: string, aspect: Aspect): SequenceFeature => ({
    from: 'past',
    name,
    aspect,
    kinds: kindsOfAspect(kindOf(name), aspect, kindsIn(table, name)),
  });
  const inRow = (name: string): SequenceFeature[] => [
    { from: 'row', name, kinds: kindsIn(table, name) },
    { from: kindOf(name) === 'numeric' ? 'change' : 'moved', name },
  ];
  const trend = (name: string): SequenceFeature[] => (kindOf(name) === 'numeric' ? [{ from: 'trend', name }] : []);
  return columns.map(({ name }, at) => {
    const others = columns.filter((other) => other.name !== name).slice(0, MAX_OTHERS);
    return [
      ...constantFeatures(constants),
      { from: 'position' as const },
      { from: 'left' as const },
      { from: 'length' as const },
      ...OWN_ASPECTS[kindOf(name)].map((aspect) => past(name, aspect)),
      ...trend(name),
      ...others.map((other) => past(other.name, 'last')),
      ...columns
        .slice(0, at)
        .slice(-MAX_OTHERS)
        .flatMap((other) => inRow(other.name)),
    ];
  });
}

/** Returns 0 for numbers. */
const kindsIn = (table: ModelTable, name: string): number => {
  const column = table.columns.get(name);
  return column?.kind === 'category' ? column.levels.length + 1 : 0;
};
