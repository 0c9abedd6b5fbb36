/** Relations in words. */
import { counted, listed, quoted } from '../table/wording.ts';
import type { Relation } from './relation.ts';

type WithoutWords<R> = R extends Relation ? Omit<R, 'sentence' | 'rows'> : never;
/** A relation before it is put in words. */
export type Unsaid = WithoutWords<Relation>;

/** `rows`: all that were looked at; `isTime`: the columns hold dates or times. */
export function sentenceOf(relation: Unsaid, rows: number, isTime = false): string {
  const column = `Column ${quoted(relation.column)}`;
  return `${column} ${predicate(relation, isTime)} in all ${counted(rows, 'row')} looked at.`;
}

function predicate(relation: Unsaid, isTime: boolean): string {
  const of = quoted(relation.of);
  switch (relation.kind) {
    case 'copy':
      return `is a copy of ${of}`;
    case 'function':
      return `is ${formula(relation)}, but for rounding,`;
    case 'sum':
      return `is ${relation.parts.map(quoted).join(' + ')}, but for rounding,`;
    case 'order':
      if (relation.strict) return `is ${isTime ? 'after' : 'above'} ${of}`;
      return `is never ${isTime ? 'before' : 'below'} ${of}`;
    case 'labels':
      return relation.one_to_one ? `says the same as ${of} in other words` : `follows from ${of}`;
    case 'missing_together':
      return `is missing exactly where ${of} is missing`;
    case 'missing_when': {
      const values = listed(relation.values.map(quoted));
      return `is missing exactly where ${of} is ${relation.except ? 'not ' : ''}${values}`;
    }
  }
}

function formula({ form, slope, intercept, of }: Unsaid & { kind: 'function' }): string {
  const x = quoted(of);
  if (form !== 'linear') return form === 'ln(1+x)' ? `ln(1 + ${x})` : `${form}(${x})`;
  if (slope === 1 && intercept === 0) return `the same number as ${x}`;
  const scaled = slope === 1 ? x : slope === -1 ? `−${x}` : `${short(slope)} × ${x}`;
  if (intercept === 0) return scaled;
  return `${scaled} ${intercept < 0 ? '−' : '+'} ${short(Math.abs(intercept))}`;
}

const short = (value: number): string => String(Number(value.toPrecision(6)));
