/** Conditions in words. */
import type { Condition } from '../schema/condition.ts';
import { listed, quoted } from '../table/wording.ts';
import { cellsOf, show } from './readCondition.ts';

/** `"sex" = "female"`, `"age" from 30 to 40`. */
export function conditionWords(condition: Condition): string {
  const column = quoted(condition.column);
  const cells = cellsOf(condition);
  if (cells) {
    const words = cells.map((cell) => (cell === null ? 'missing' : show(cell)));
    return cells.length === 1 ? `${column} = ${words[0]}` : `${column} in ${listed(words)}`;
  }
  const [low, high] = condition.between ?? [null, null];
  if (low === null) return `${column} up to ${show(high)}`;
  return high === null ? `${column} from ${show(low)}` : `${column} from ${show(low)} to ${show(high)}`;
}
