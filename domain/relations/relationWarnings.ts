/** Relations as warnings: few, and each says what will be done. */
import { counted } from '../table/wording.ts';
import type { Relation } from './relation.ts';

const MOST_SENTENCES = 5;

export function relationWarnings(relations: readonly Relation[]): string[] {
  const told = relations.slice(0, MOST_SENTENCES).map((relation) => `${relation.sentence} ${consequence(relation)}`);
  const more = relations.length - told.length;
  if (more <= 0) return told;
  return [
    ...told,
    `${counted(more, 'further relation')} between columns ${more === 1 ? 'is' : 'are'} listed in profile.relations.`,
  ];
}

function consequence(relation: Relation): string {
  const { column, of } = relation;
  const pair = `${JSON.stringify(column)} is made from ${JSON.stringify(of)}`;
  switch (relation.kind) {
    case 'copy':
      return `Where both are in the request, with one role, ${pair}.`;
    case 'function':
      return `Where both are numeric in the request, ${pair}, unless it is the target.`;
    case 'sum':
      return `Each is made by itself, so the sum is kept by chance only: leave ${JSON.stringify(column)} out of the request and add the others up afterwards.`;
    case 'labels':
      return `Where ${JSON.stringify(of)} is in categorical_cols and ${JSON.stringify(column)} there or in continuous_cols, ${pair}.`;
    default:
      return 'Where both are in the request, numbers and texts keep to it; categories follow it by chance.';
  }
}
