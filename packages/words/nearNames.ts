/** Suggests names for misspelt ones. */

const MAX_NAMES = 3;
/** Maximum edits: a share of the longer name, with a minimum. */
const EDITED_SHARE = 0.34;
const MIN_EDITS = 1;
/** Characters compared per name, and names examined. */
const LONGEST = 60;
const MAX_LOOKED_AT = 5000;

/** Returns at most three names: those equal up to case, spaces and Unicode form, else those within few edits. */
export function nearNames(name: string, names: readonly string[]): string[] {
  const asked = plain(name);
  const near = names.slice(0, MAX_LOOKED_AT).flatMap((candidate) => {
    const other = plain(candidate);
    const allowed = Math.max(MIN_EDITS, Math.floor(EDITED_SHARE * Math.max(asked.length, other.length)));
    if (Math.abs(asked.length - other.length) > allowed) return [];
    const edits = editDistance(asked, other);
    return edits <= allowed ? [{ candidate, edits }] : [];
  });
  const same = near.filter(({ edits }) => edits === 0);
  return (same.length > 0 ? same : near)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, MAX_NAMES)
    .map(({ candidate }) => candidate);
}

/** Shorter names are all alike. */
const MIN_LENGTH = 3;

/** ` Did you mean "rows"?`, or ''. */
export function didYouMean(name: string, names: readonly string[], show: (name: string) => string): string {
  const [nearest] = name.length < MIN_LENGTH ? [] : nearNames(name, names);
  return nearest === undefined ? '' : ` Did you mean ${show(nearest)}?`;
}

const plain = (text: string): string =>
  text
    .slice(0, 4 * LONGEST)
    .normalize('NFKC')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase()
    .slice(0, LONGEST);

/** Optimal string alignment distance. */
function editDistance(a: string, b: string): number {
  let beforeThat: number[] = [];
  let before = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = before[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? beforeThat[j - 2]! + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(substituted, swapped, before[j]! + 1, row[j - 1]! + 1));
    }
    [beforeThat, before] = [before, row];
  }
  return before[b.length]!;
}
