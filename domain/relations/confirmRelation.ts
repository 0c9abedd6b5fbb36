/** A relation of the row sample, asked again of all rows. */
import { type Dress, undress } from '../dress/dress.ts';
import { type CellColumn, cellAt } from '../table/table.ts';
import { findFunction } from './findFunctions.ts';
import { areLabels } from './findLabels.ts';
import { isSum } from './findSums.ts';
import type { Relation } from './relation.ts';
import { isSame, type SampledColumn, sampledColumn } from './sampledColumn.ts';

/** Relations by which the cells of one column can be made from those of another. */
export type ValueRelation = Extract<Relation, { kind: 'copy' | 'function' | 'labels' }>;

export type SumRelation = Extract<Relation, { kind: 'sum' }>;

export interface WholeColumn {
  cells: CellColumn;
  dress: Dress | null;
  /** Texts that stand for a missing cell in this column alone. */
  tokens?: readonly string[];
}

export const isValueRelation = (relation: Relation): relation is ValueRelation =>
  relation.kind === 'copy' || relation.kind === 'function' || relation.kind === 'labels';

/** The relation as it holds in every row of the table; undefined where it does not. */
export function confirmRelation(
  relation: ValueRelation,
  of: WholeColumn,
  column: WholeColumn,
): ValueRelation | undefined {
  const rows = column.cells.codes.length;
  if (relation.kind === 'copy') return isCopy(of.cells, column.cells) ? { ...relation, rows } : undefined;
  const [from, to] = [looked(of), looked(column)];
  if (relation.kind === 'labels') return areLabels(from, to) ? { ...relation, rows } : undefined;
  const found = findFunction(from, to);
  return found?.form === relation.form ? { ...relation, ...found, rows } : undefined;
}

/** True where the parts add up to the total in every row of the table, and it is missing exactly where a part is. */
export const confirmSum = (total: WholeColumn, parts: readonly WholeColumn[]): boolean =>
  isSum(looked(total), parts.map(looked));

/** Levels stand in the order of first appearance, so that equal columns have equal codes. */
const isCopy = (of: CellColumn, column: CellColumn): boolean =>
  isSame(of.codes, column.codes) && of.levels.every((level, code) => level === column.levels[code]);

function looked({ cells, dress, tokens = [] }: WholeColumn): SampledColumn {
  const texts = Array.from(cells.codes, (_, row) => {
    const text = cellAt(cells, row);
    return text !== null && tokens.includes(text) ? null : text;
  });
  return sampledColumn(cells.name, texts, (text) => (dress ? undress(text, dress) : undefined));
}
