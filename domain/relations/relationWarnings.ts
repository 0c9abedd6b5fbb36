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
      return `Where both are numeric in the request, ${pair}.`;
    case 'sum':
      return `Where all of them are numeric in the request, ${JSON.stringify(column)} is made by adding the others up.`;
    case 'order':
      return 'Where both are numeric in the request, every row made keeps to it.';
    case 'labels':
      return `Where ${JSON.stringify(of)} is in categorical_cols and ${JSON.stringify(column)} there or in continuous_cols, ${pair}.`;
    default:
      return 'Where both are in the request, numbers and texts keep to it; categories follow it by chance.';
  }
}
