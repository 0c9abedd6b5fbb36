import { ServiceError } from '../errors.ts';
import { MAX_COLUMNS } from './rowSink.ts';
import { ownText } from './textDictionary.ts';
import { counted, listed, quoted, withCommas } from './wording.ts';

/**
 * Column names from the cells of a header: without spaces around them, distinct, none empty. A cell without a name gets
 * `column_<number>`, a repeated one gets `_2`, `_3` …; each kind of change has one warning. Throws `parse_error` where
 * there are too many.
 */
export function nameColumns(cells: readonly string[]): { names: string[]; warnings: string[] } {
  if (cells.length > MAX_COLUMNS) throw tooManyColumns(cells.length);
  const names = cells.map((cell) => ownText(cell.trim()));
  const padded = names.filter((name, index) => name !== '' && name !== cells[index]);
  const free = nameGiver(names);
  const nameless: string[] = [];
  const repeated: string[] = [];
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (name === '') {
      names[index] = free(`column_${index + 1}`);
      nameless.push(names[index]);
    } else if (seen.has(name)) {
      names[index] = free(name);
      repeated.push(`${quoted(name)} (column ${index + 1}, now ${quoted(names[index])})`);
    }
    seen.add(names[index]!);
  }
  return { names, warnings: [...repeatedNames(repeated), ...namelessColumns(nameless), ...paddedNames(padded)] };
}

/** Gives a name where it is free, else the name with the first number from 2 on that makes it so. */
function nameGiver(names: readonly string[]): (name: string) => string {
  const taken = new Set(names);
  const numbers = new Map<string, number>();
  return (name) => {
    let free = name;
    let number = numbers.get(name) ?? 2;
    while (taken.has(free)) free = `${name}_${number++}`;
    numbers.set(name, number);
    taken.add(free);
    return free;
  };
}

function repeatedNames(repeated: string[]): string[] {
  if (repeated.length === 0) return [];
  return [`Column names stand more than once in the header; the later ones were renamed: ${listed(repeated)}.`];
}

function namelessColumns(names: string[]): string[] {
  if (names.length === 0) return [];
  const they = names.length === 1 ? 'it is called by its place' : 'they are called by their place';
  return [`The header has ${counted(names.length, 'cell')} without a name; ${they}: ${listed(names)}.`];
}

function paddedNames(names: string[]): string[] {
  if (names.length === 0) return [];
  return [`Spaces around column names were removed: ${listed(names.map(quoted))}.`];
}

const tooManyColumns = (count: number): ServiceError =>
  new ServiceError(
    'parse_error',
    `The header has ${withCommas(count)} columns; at most ${withCommas(MAX_COLUMNS)} can be read. Upload fewer columns, or check that rows are separated by line breaks.`,
  );
