/** Relations between successive rows of every real entity, which generated ones must keep. */
import { quoted } from '../../../words/wording.ts';
import type { ModelTable } from '../../models/model.ts';

export interface SumPart {
  name: string;
  sign: 1 | -1;
}

/** `column` is the last value plus or minus parts. */
export interface RunningSum {
  kind: 'sum';
  column: string;
  parts: SumPart[];
  decimals: number;
}

export type Within =
  | RunningSum
  | { kind: 'rises' | 'falls'; column: string; strict: boolean }
  /** `follows[from · levels + to]`: whether `to` may follow. */
  | { kind: 'advances'; column: string; levels: readonly string[]; follows: Uint8Array }
  /** Weekdays; 0 is Thursday. */
  | { kind: 'days'; column: string; units: number; allowed: boolean[] }
  /** Distinct in combination, apart from a share of rows. */
  | { kind: 'distinct'; columns: string[]; repeats: number };

export function withinWords(relation: Within): string {
  switch (relation.kind) {
    case 'sum': {
      const parts = relation.parts.map(({ name, sign }) => `${sign > 0 ? 'plus' : 'minus'} ${quoted(name)}`);
      return `${quoted(relation.column)} is the last one ${parts.join(' ')}`;
    }
    case 'rises':
    case 'falls':
      return `${quoted(relation.column)} ${relation.strict ? relation.kind : relation.kind === 'rises' ? 'never falls' : 'never rises'}`;
    case 'advances':
      return `${quoted(relation.column)} never goes back to a level`;
    case 'days':
      return `${quoted(relation.column)} has ${relation.allowed.filter(Boolean).length} days of the week`;
    case 'distinct': {
      const columns = relation.columns.map(quoted).join(' and ');
      if (relation.repeats === 0) return `no two rows have the same ${columns}`;
      return `${shareWords(relation.repeats)} of the rows have the same ${columns} as an earlier one`;
    }
  }
}

const shareWords = (share: number): string => `${Number((100 * share).toPrecision(2))} %`;

/** Throws RangeError for texts. */
export function cellsOf(table: ModelTable, name: string): ArrayLike<number> {
  const column = table.columns.get(name);
  if (column?.kind === 'numeric') return column.values;
  if (column?.kind === 'category') return column.codes;
  throw new RangeError(`no numeric or categorical column ${JSON.stringify(name)}`);
}
