/** The slow reference: every operator in double precision by its definition, one entry at a time. */
import {
  type Node,
  numberOf,
  numbersOf,
  type OperatorName,
  type Shape,
  sizeOf,
  type Tensor,
} from '../../../../packages/numerics/tensor/graph.ts';

/** Entries in row-major order. */
export interface Value {
  shape: Shape;
  entries: Float64Array;
}

const valueFrom = (shape: Shape, entry: (index: number[]) => number): Value => {
  const entries = new Float64Array(sizeOf(shape));
  for (let flat = 0; flat < entries.length; flat++) entries[flat] = entry(indexOf(shape, flat));
  return { shape, entries };
};

function indexOf(shape: Shape, flat: number): number[] {
  const index = shape.map(() => 0);
  for (let axis = shape.length - 1, rest = flat; axis >= 0; axis--) {
    index[axis] = rest % shape[axis]!;
    rest = Math.floor(rest / shape[axis]!);
  }
  return index;
}

/** The entry at an index; axes of length 1 and missing leading axes are broadcast. */
function at({ shape, entries }: Value, index: readonly number[]): number {
  let flat = 0;
  shape.forEach((length, axis) => {
    const place = index[index.length - shape.length + axis]!;
    flat = flat * length + (length === 1 ? 0 : place);
  });
  return entries[flat]!;
}

type Slow = (inputs: Value[], node: Node) => Value[];

const binary =
  (of: (a: number, b: number) => number): Slow =>
  ([a, b], { outputs }) => [valueFrom(outputs[0]!.shape, (index) => of(at(a!, index), at(b!, index)))];
const unary =
  (of: (x: number) => number): Slow =>
  ([x]) => [{ shape: x!.shape, entries: x!.entries.map(of) }];
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** One row of the last axis at a time. */
const byRow =
  (of: (row: Float64Array) => Float64Array): Slow =>
  ([x]) => {
    const width = x!.shape.at(-1)!;
    const entries = x!.entries.slice();
    for (let from = 0; from < entries.length; from += width) entries.set(of(entries.slice(from, from + width)), from);
    return [{ shape: x!.shape, entries }];
  };
const logSumExp = (row: Float64Array): number => {
  const most = Math.max(...row);
  return most + Math.log(row.reduce((total, x) => total + Math.exp(x - most), 0));
};

const swapLast = (index: readonly number[], isSwapped: boolean): number[] =>
  isSwapped ? [...index.slice(0, -2), index.at(-1)!, index.at(-2)!] : [...index];

const matMul: Slow = ([a, b], { attributes, outputs: [out] }) => {
  const depth = attributes.transposeA === true ? a!.shape.at(-2)! : a!.shape.at(-1)!;
  const entry = (index: number[]): number => {
    const [lead, row, column] = [index.slice(0, -2), index.at(-2)!, index.at(-1)!];
    let total = 0;
    for (let k = 0; k < depth; k++) {
      const left = at(a!, swapLast([...lead, row, k], attributes.transposeA === true));
      total += left * at(b!, swapLast([...lead, k, column], attributes.transposeB === true));
    }
    return total;
  };
  return [valueFrom(out!.shape, entry)];
};

const quantisedMatMul: Slow = ([x, levels, scales], { outputs: [out] }) => {
  const depth = x!.shape[1]!;
  const entry = ([row, column]: number[]): number => {
    let [peak, total] = [1e-30, 0];
    for (let k = 0; k < depth; k++) peak = Math.max(peak, Math.abs(at(x!, [row!, k])));
    for (let k = 0; k < depth; k++) total += Math.round((127 * at(x!, [row!, k])) / peak) * at(levels!, [k, column!]);
    return (total * peak * scales!.entries[column!]!) / 127;
  };
  return [valueFrom(out!.shape, entry)];
};

const concat: Slow = (parts, { attributes, outputs: [out] }) => {
  const axis = numberOf(attributes, 'axis');
  const entry = (index: number[]): number => {
    let place = index[axis]!;
    const part = parts.find(({ shape }) => {
      if (place < shape[axis]!) return true;
      place -= shape[axis]!;
      return false;
    });
    return at(part!, index.with(axis, place));
  };
  return [valueFrom(out!.shape, entry)];
};

const split: Slow = ([x], { attributes, outputs }) => {
  const axis = numberOf(attributes, 'axis');
  let from = 0;
  return outputs.map(({ shape }) => {
    const start = from;
    from += shape[axis]!;
    return valueFrom(shape, (index) => at(x!, index.with(axis, index[axis]! + start)));
  });
};

const sum: Slow = ([x], { attributes, outputs: [out] }) => {
  const axes = numbersOf(attributes, 'axes');
  const result = valueFrom(out!.shape, () => 0);
  x!.entries.forEach((entry, flat) => {
    const index = indexOf(x!.shape, flat).map((place, axis) => (axes.includes(axis) ? 0 : place));
    const target = index.reduce((place, k, axis) => place * out!.shape[axis]! + k, 0);
    result.entries[target]! += entry;
  });
  return [result];
};

const scatterRows: Slow = ([rows, index], { outputs: [out] }) => [
  valueFrom(out!.shape, ([row, column]) =>
    index!.entries.reduce((total, place, k) => total + (place === row ? at(rows!, [k, column!]) : 0), 0),
  ),
];

const rmsNorm: Slow = ([x, gain], { attributes, outputs }) => {
  const width = x!.shape[1]!;
  const inverse = valueFrom(outputs[1]!.shape, ([row]) => {
    let squares = 0;
    for (let k = 0; k < width; k++) squares += at(x!, [row!, k]) ** 2;
    return 1 / Math.sqrt(squares / width + numberOf(attributes, 'epsilon'));
  });
  return [valueFrom(x!.shape, ([row, k]) => at(x!, [row!, k!]) * at(inverse, [row!, 0]) * gain!.entries[k!]!), inverse];
};

const SLOW: Readonly<Record<OperatorName, Slow>> = {
  add: binary((a, b) => a + b),
  subtract: binary((a, b) => a - b),
  multiply: binary((a, b) => a * b),
  divide: binary((a, b) => a / b),
  minimum: binary(Math.min),
  equal: binary((a, b) => (a === b ? 1 : 0)),
  negate: unary((x) => -x),
  exp: unary(Math.exp),
  log: unary(Math.log),
  sqrt: unary(Math.sqrt),
  sigmoid: unary(sigmoid),
  silu: unary((x) => x * sigmoid(x)),
  reshape: ([x], { outputs }) => [{ shape: outputs[0]!.shape, entries: x!.entries }],
  transpose: ([x], { attributes, outputs }) => {
    const order = numbersOf(attributes, 'order');
    return [
      valueFrom(outputs[0]!.shape, (index) =>
        at(
          x!,
          order.map((_, axis) => index[order.indexOf(axis)]!),
        ),
      ),
    ];
  },
  expand: ([x], { outputs }) => [valueFrom(outputs[0]!.shape, (index) => at(x!, index))],
  softmax: byRow((row) => row.map((x) => Math.exp(x - logSumExp(row)))),
  logSoftmax: byRow((row) => row.map((x) => x - logSumExp(row))),
  pick: ([x, index], { outputs }) => [valueFrom(outputs[0]!.shape, ([row]) => at(x!, [row!, index!.entries[row!]!]))],
  gatherRows: ([table, index], { outputs }) => [
    valueFrom(outputs[0]!.shape, ([row, column]) => at(table!, [index!.entries[row!]!, column!])),
  ],
  sum,
  concat,
  split,
  matMul,
  quantisedMatMul,
  scatterRows,
  rmsNorm,
};

/** The values of tensors, given those of the graph's inputs by name. */
export function evaluate(of: readonly Tensor[], inputs: Readonly<Record<string, ArrayLike<number>>>): Value[] {
  const { graph } = of[0]!;
  const known = new Map<number, Value>();
  for (const [name, tensor] of graph.inputs) {
    const entries = inputs[name];
    if (entries) known.set(tensor.id, { shape: tensor.shape, entries: Float64Array.from(entries) });
  }
  for (const { tensor, values } of graph.constants) {
    known.set(tensor.id, { shape: tensor.shape, entries: Float64Array.from(values) });
  }
  const kernels = new Map<string, Slow>(Object.entries(SLOW));
  for (const node of graph.nodes) {
    const operands = node.inputs.map(({ id }) => known.get(id)!);
    const results = kernels.get(node.operator.name)!(operands, node);
    for (const [k, result] of results.entries()) known.set(node.outputs[k]!.id, result);
  }
  return of.map(({ id }) => known.get(id)!);
}
