/**
 * Smallest, over synthetic rows, of a person's largest difference in a column (standard deviations). Infinity without a
 * row of the same categories and missing cells.
 */
import { mean } from '../../../numerics/moments.ts';
import type { ModelTable } from '../../models/model.ts';
import { type MeasuredColumns, numericNamed, present } from '../columns.ts';
import { groupRows } from '../duplicateRate.ts';
import { type GrownTree, growTree, type Points } from '../growTree.ts';

/** Position of missing cells, beyond all numbers, which lie within √n standard deviations. */
const MISSING = 1e6;
const FURTHEST = MISSING / 4;

/** Single precision. `scale` returns a column's standard deviation. */
export function worstColumns(
  persons: ModelTable,
  made: ModelTable,
  columns: MeasuredColumns,
  scale: (name: string) => number,
): Float64Array {
  const { queriedGroups, realGroup } = groupRows([persons], made, { ...columns, numeric: [], text: [] });
  const centres = columns.numeric.map((name) => mean(present(numericNamed(made, name).values)));
  const place = (table: ModelTable): Float64Array[] =>
    columns.numeric.map((name, j) => {
      const [centre, unit] = [centres[j]!, scale(name)];
      return numericNamed(table, name).values.map((value) => placeOf((value - centre) / unit));
    });
  const [asked, places] = [place(persons), place(made)];
  const trees = new Map<number, WorstGaps>();
  for (const [group, rows] of rowsByGroup(realGroup))
    trees.set(group, new WorstGaps(pointsOf(places, rows), places.length));
  return Float64Array.from(queriedGroups[0]!, (group, person) => {
    const gap = trees.get(group)?.least(asked.map((column) => column[person]!)) ?? Number.POSITIVE_INFINITY;
    return gap > 2 * FURTHEST ? Number.POSITIVE_INFINITY : gap;
  });
}

const placeOf = (value: number): number =>
  Number.isNaN(value) ? MISSING : Math.fround(Math.max(-FURTHEST, Math.min(FURTHEST, value)));

function rowsByGroup(groups: Int32Array): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  for (const [row, group] of groups.entries()) {
    const own = rows.get(group);
    if (own) own.push(row);
    else rows.set(group, [row]);
  }
  return rows;
}

function pointsOf(places: readonly Float64Array[], rows: readonly number[]): Points {
  const cells = new Float32Array(rows.length * places.length);
  for (const [at, row] of rows.entries()) {
    for (const [j, column] of places.entries()) cells[at * places.length + j] = column[row]!;
  }
  return { rows: rows.length, cells };
}

/** Branch and bound (Friedman, Bentley and Finkel, 1977) on the maximum gap. */
class WorstGaps {
  private readonly tree: GrownTree;
  private readonly points: Points;
  private readonly width: number;

  constructor(points: Points, width: number) {
    this.points = points;
    this.width = width;
    this.tree = growTree(points, width);
  }

  least(asked: readonly number[]): number {
    return this.visit(0, asked, Number.POSITIVE_INFINITY);
  }

  private visit(node: number, asked: readonly number[], least: number): number {
    const { dimension, right, leftMax, rightMin } = this.tree;
    if (dimension[node]! < 0) return this.scan(right[node]!, asked, least);
    const x = asked[dimension[node]!]!;
    const [toLeft, toRight] = [x - leftMax[node]!, rightMin[node]! - x];
    const isLeft = toLeft < toRight;
    const first = this.visit(isLeft ? node + 1 : right[node]!, asked, least);
    if ((isLeft ? toRight : toLeft) >= first) return first;
    return this.visit(isLeft ? right[node]! : node + 1, asked, first);
  }

  private scan(leaf: number, asked: readonly number[], least: number): number {
    const { order, starts } = this.tree;
    const { width } = this;
    const { cells } = this.points;
    let found = least;
    for (let place = starts[leaf]!; place < starts[leaf + 1]!; place++) {
      const at = order[place]! * width;
      let worst = 0;
      for (let j = 0; j < width && worst < found; j++) {
        const gap = Math.abs(asked[j]! - cells[at + j]!);
        if (gap > worst) worst = gap;
      }
      if (worst < found) found = worst;
    }
    return found;
  }
}
