/**
 * Packs a design: numbers as f32 blocks by column, sparse ones as 16-bit lists by row. Rounds to a relative 6e-8; other
 * numbers are f64. n rows, p columns.
 */
import { createMemory, PAGE, type SharedMemory } from '../../wasm/assemble.ts';
import type { Matrix } from '../spec.ts';
import { BLOCK, TOGETHER } from './designKernels.ts';

export interface PackedMatrix {
  kind: 'packed';
  rows: number;
  cols: number;
  /** Design column of each packed column. */
  numbers: Int32Array;
  ones: Int32Array;
  entries: number;
  memory: SharedMemory;
  /** Addresses of blocks and of row offsets. */
  blocks: number;
  offsets: number;
}

/** Maximum share of ones stored as lists. */
const FULL = 0.3;
/** Maximum reads per nonzero; otherwise designs are not packed. */
const WASTE = 2;
const MAX_ONES = 65_536;
const MAX_BYTES = 3.5e9;
/** Maximum number of opened copies. */
const OPENED = 64;
/** Maximum bytes for p columns. */
export const workBytes = (p: number): number =>
  8 * ((p + TOGETHER) ** 2 + (2 * BLOCK + 4) * (p + TOGETHER) + 4 * BLOCK);

/** Undefined if packing is slower or too large. */
export function packDesign(x: Matrix): PackedMatrix | undefined {
  const entriesOf = x.kind === 'dense' ? denseEntries(x) : sparseEntries(x);
  const { numbers, ones, filled } = partColumns(x, entriesOf);
  const width = Math.ceil(numbers.length / TOGETHER) * TOGETHER;
  const inNumbers = sum(numbers, filled);
  const inOnes = sum(ones, filled);
  if (numbers.length * x.rows > WASTE * inNumbers + x.rows || ones.length > MAX_ONES) return undefined;
  const blockCount = Math.ceil(x.rows / BLOCK);
  const blocks = 64;
  const offsets = blocks + 4 * blockCount * BLOCK * width;
  const lists = offsets + 4 * (blockCount * BLOCK + 1);
  const bytes = lists + 2 * inOnes;
  if (bytes > MAX_BYTES) return undefined;
  const pages = Math.ceil(bytes / PAGE);
  const memory = createMemory(pages, Math.min(65_536, pages + OPENED * Math.ceil(workBytes(x.cols) / PAGE)));
  const packed = { kind: 'packed', rows: x.rows, cols: x.cols, numbers, ones, memory, blocks, offsets } as const;
  fill(packed, entriesOf, { width, lists, blockCount });
  return { ...packed, entries: numbers.length * x.rows + inOnes };
}

const sum = (columns: Int32Array, filled: Int32Array): number => columns.reduce((all, j) => all + filled[j]!, 0);

type Entries = (row: number, visit: (column: number, value: number) => void) => void;

const denseEntries =
  ({ values, cols }: Extract<Matrix, { kind: 'dense' }>): Entries =>
  (row, visit) => {
    for (let j = 0; j < cols; j++) if (values[row * cols + j] !== 0) visit(j, values[row * cols + j]!);
  };

const sparseEntries =
  ({ values, at, offsets }: Extract<Matrix, { kind: 'sparse' }>): Entries =>
  (row, visit) => {
    for (let k = offsets[row]!; k < offsets[row + 1]!; k++) if (values[k] !== 0) visit(at[k]!, values[k]!);
  };

function partColumns(x: Matrix, entriesOf: Entries) {
  const filled = new Int32Array(x.cols);
  const others = new Int32Array(x.cols);
  const count = (column: number, value: number): void => {
    filled[column]!++;
    if (value !== 1) others[column]!++;
  };
  for (let row = 0; row < x.rows; row++) entriesOf(row, count);
  const isOnes = (j: number): boolean => others[j] === 0 && filled[j]! < FULL * x.rows;
  const columns = Int32Array.from({ length: x.cols }, (_, j) => j);
  return { filled, numbers: columns.filter((j) => !isOnes(j)), ones: columns.filter(isOnes) };
}

function fill(
  { memory, rows, cols, numbers, ones, blocks, offsets }: Omit<PackedMatrix, 'entries'>,
  entriesOf: Entries,
  { width, lists, blockCount }: { width: number; lists: number; blockCount: number },
): void {
  const floats = new Float32Array(memory.buffer, blocks, blockCount * BLOCK * width);
  const starts = new Uint32Array(memory.buffer, offsets, blockCount * BLOCK + 1);
  const list = new Uint16Array(memory.buffer, lists);
  const place = new Int32Array(cols);
  numbers.forEach((j, k) => {
    place[j] = k;
  });
  ones.forEach((j, k) => {
    place[j] = -1 - k;
  });
  let [base, next] = [0, 0];
  const put = (column: number, value: number): void => {
    const to = place[column]!;
    if (to >= 0) floats[base + to * BLOCK] = value;
    else list[next++] = -1 - to;
  };
  for (let row = 0; row < rows; row++) {
    base = Math.floor(row / BLOCK) * BLOCK * width + (row % BLOCK);
    starts[row] = lists + 2 * next;
    entriesOf(row, put);
  }
  starts.fill(lists + 2 * next, rows);
}
