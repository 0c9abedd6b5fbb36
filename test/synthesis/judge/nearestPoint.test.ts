import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';
import { type Points, PointTree } from '../../../packages/synthesis/judge/nearestNeighbours.ts';

/** Sums of the same cells in another order, in doubles. */
const ROUNDING = 1e-9;

/** Distances from a point to all points of a table, by the definition. */
function allDistances(queried: Points, row: number, points: Points, width: number): number[] {
  return Array.from({ length: points.rows }, (_, other) => {
    let sum = 0;
    for (let j = 0; j < width; j++) {
      sum += Math.min(1, Math.abs(queried.cells[row * width + j]! - points.cells[other * width + j]!));
    }
    return sum;
  });
}

const drawPoints = (rows: number, width: number, cell: (row: number, column: number) => number): Points => ({
  rows,
  cells: Float32Array.from({ length: rows * width }, (_, at) => cell(Math.floor(at / width), at % width)),
});

function expectNearest(queried: Points, points: Points, width: number): void {
  const tree = new PointTree(points, width);
  for (let row = 0; row < queried.rows; row++) {
    const all = allDistances(queried, row, points, width);
    const [first = Number.POSITIVE_INFINITY, second = Number.POSITIVE_INFINITY] = all.toSorted((a, b) => a - b);
    const near = (found: number, wanted: number) => found === wanted || Math.abs(found - wanted) < ROUNDING;
    expect(near(tree.nearest(queried, row), first)).toBe(true);
    for (const found of [tree.nearestRow(queried, row), tree.nearestTwo(queried, row)]) {
      expect(near(found.distance, first)).toBe(true);
      expect(near(all[found.row] ?? Number.POSITIVE_INFINITY, first)).toBe(true);
    }
    expect(near(tree.nearestTwo(queried, row).second, second)).toBe(true);
  }
}

/** Numbers that hang together, numbers beyond the range, missing ones at 4, categories of few and of many levels. */
function mixedCell(random: RandomStream): (row: number, column: number) => number {
  let factor = 0;
  return (_, column) => {
    if (column === 0) factor = random.uniform();
    if (column % 5 === 3) return random.integer(3);
    if (column % 5 === 4) return random.integer(40);
    if (random.uniform() < 0.05) return 4;
    const value = 0.7 * factor + 0.4 * random.uniform();
    return column % 5 === 2 ? 3 * value - 1 : value;
  };
}

describe('the tree of points', () => {
  it.each([1, 2, 3, 4, 5, 8, 9, 15, 33])('finds the nearest and the second of mixed points of %i columns', (width) => {
    const random = createStream(width, 'mixed');
    const points = drawPoints(1500, width, mixedCell(random.child('points')));
    expectNearest(drawPoints(60, width, mixedCell(random.child('asked'))), points, width);
  });

  it.each([0, 1, 2, 3, 64, 65, 66, 129])('finds them among %i points', (rows) => {
    const random = createStream(rows, 'few');
    const points = drawPoints(rows, 6, mixedCell(random.child('points')));
    expectNearest(drawPoints(40, 6, mixedCell(random.child('asked'))), points, 6);
  });

  it('says Infinity and no row where it is empty', () => {
    const tree = new PointTree({ rows: 0, cells: new Float32Array() }, 3);
    const queried = drawPoints(1, 3, () => 0.5);
    expect(tree.nearestTwo(queried, 0)).toEqual({ row: -1, distance: Infinity, second: Infinity });
    expect(tree.nearest(queried, 0)).toBe(Infinity);
  });

  it('finds a copy of every point at 0, and its second at 0 where it stands there twice', () => {
    const random = createStream(7, 'copies');
    const once = drawPoints(700, 7, mixedCell(random));
    const twice = { rows: 1400, cells: Float32Array.from([...once.cells, ...once.cells]) };
    const [tree, double] = [new PointTree(once, 7), new PointTree(twice, 7)];
    for (let row = 0; row < once.rows; row++) {
      expect(tree.nearest(once, row)).toBe(0);
      expect(double.nearestTwo(once, row)).toMatchObject({ distance: 0, second: 0 });
    }
  });

  it('finds them among many points that are equal, and many that are as near', () => {
    const random = createStream(8, 'ties');
    const few = (): number => random.integer(2);
    expectNearest(drawPoints(50, 6, few), drawPoints(2000, 6, few), 6);
    expectNearest(
      drawPoints(30, 4, few),
      drawPoints(900, 4, (row) => (row < 890 ? 1 : 0)),
      4,
    );
  });

  it('finds them among 1,500 columns', () => {
    const random = createStream(9, 'wide');
    const points = drawPoints(300, 1500, mixedCell(random.child('points')));
    expectNearest(drawPoints(6, 1500, mixedCell(random.child('asked'))), points, 1500);
  });

  it('tells the same distance of two points whatever else is in the tree', () => {
    const random = createStream(10, 'alone');
    const points = drawPoints(1000, 15, () => random.uniform());
    const queried = drawPoints(100, 15, () => random.uniform());
    const tree = new PointTree(points, 15);
    for (let row = 0; row < queried.rows; row++) {
      const found = tree.nearestRow(queried, row);
      const alone = new PointTree({ rows: 1, cells: points.cells.slice(found.row * 15, (found.row + 1) * 15) }, 15);
      expect(alone.nearest(queried, row)).toBe(found.distance);
    }
  });
});
