import {
  apply,
  applyOne,
  constant,
  numberOf,
  numbersOf,
  type Operator,
  type Shape,
  showShape,
  sizeOf,
  type Tensor,
} from '../graph.ts';

const reshapeOperator: Operator<'reshape'> = {
  name: 'reshape',
  infer: ([x], attributes) => {
    const shape = numbersOf(attributes, 'shape');
    if (sizeOf(shape) !== sizeOf(x!.shape)) {
      throw new RangeError(`cannot reshape ${showShape(x!.shape)} to ${showShape(shape)}`);
    }
    return [{ shape, type: x!.type }];
  },
  gradient: ({ inputs: [x], outputGradients: [g] }) => [reshape(g!, x!.shape)],
};
export function reshape(x: Tensor, shape: Shape): Tensor {
  const isSame = shape.length === x.shape.length && shape.every((length, axis) => length === x.shape[axis]);
  return isSame ? x : applyOne(reshapeOperator, [x], { shape });
}

const transposeOperator: Operator<'transpose'> = {
  name: 'transpose',
  infer: ([x], attributes) => [{ shape: numbersOf(attributes, 'order').map((axis) => x!.shape[axis]!), type: x!.type }],
  gradient: ({ attributes, outputGradients: [g] }) => {
    const order = numbersOf(attributes, 'order');
    return [
      transpose(
        g!,
        order.map((_, axis) => order.indexOf(axis)),
      ),
    ];
  },
};
/** Result axis k is x's axis `order[k]`. */
export const transpose = (x: Tensor, order: readonly number[]): Tensor => applyOne(transposeOperator, [x], { order });

const sumOperator: Operator<'sum'> = {
  name: 'sum',
  infer: ([x], attributes) => {
    const axes = numbersOf(attributes, 'axes');
    return [{ shape: x!.shape.map((length, axis) => (axes.includes(axis) ? 1 : length)), type: x!.type }];
  },
  gradient: ({ inputs: [x], outputGradients: [g] }) => [expand(g!, x!.shape)],
};
/** Summed axes keep length 1. */
export const sum = (x: Tensor, axes: readonly number[]): Tensor =>
  axes.every((axis) => x.shape[axis] === 1) ? x : applyOne(sumOperator, [x], { axes });

export const sumAll = (x: Tensor): Tensor =>
  reshape(
    sum(
      x,
      x.shape.map((_, axis) => axis),
    ),
    [],
  );

const expandOperator: Operator<'expand'> = {
  name: 'expand',
  infer: ([x], attributes) => [{ shape: numbersOf(attributes, 'shape'), type: x!.type }],
  gradient: ({ inputs: [x], outputGradients: [g] }) => [sumTo(g!, x!.shape)],
};
export const expand = (x: Tensor, shape: Shape): Tensor =>
  sizeOf(shape) === sizeOf(x.shape) ? reshape(x, shape) : applyOne(expandOperator, [x], { shape });

/** Sums broadcast axes down to `shape`. */
export function sumTo(x: Tensor, shape: Shape): Tensor {
  const lead = x.shape.length - shape.length;
  const axes = x.shape.flatMap((length, axis) =>
    axis < lead || (shape[axis - lead] === 1 && length > 1) ? [axis] : [],
  );
  return reshape(sum(x, axes), shape);
}

const concatOperator: Operator<'concat'> = {
  name: 'concat',
  infer: (inputs, attributes) => {
    const axis = numberOf(attributes, 'axis');
    const total = inputs.reduce((length, { shape }) => length + shape[axis]!, 0);
    return [{ shape: inputs[0]!.shape.with(axis, total), type: inputs[0]!.type }];
  },
  gradient: ({ inputs, attributes, outputGradients: [g] }) => {
    const axis = numberOf(attributes, 'axis');
    return split(
      g!,
      inputs.map(({ shape }) => shape[axis]!),
      axis,
    );
  },
};
export const concat = (parts: readonly Tensor[], axis: number): Tensor =>
  parts.length === 1 ? parts[0]! : applyOne(concatOperator, parts, { axis });

const splitOperator: Operator<'split'> = {
  name: 'split',
  infer: ([x], attributes) => {
    const axis = numberOf(attributes, 'axis');
    const sizes = numbersOf(attributes, 'sizes');
    if (sizes.reduce((a, b) => a + b, 0) !== x!.shape[axis]) {
      throw new RangeError(`parts of ${showShape(sizes)} do not fill axis ${axis} of ${showShape(x!.shape)}`);
    }
    return sizes.map((size) => ({ shape: x!.shape.with(axis, size), type: x!.type }));
  },
  gradient: ({ attributes, outputs, outputGradients }) => {
    const parts = outputs.map((output, k) => outputGradients[k] ?? zeros(output));
    return [concat(parts, numberOf(attributes, 'axis'))];
  },
};
export const split = (x: Tensor, sizes: readonly number[], axis: number): Tensor[] =>
  sizes.length === 1 ? [x] : apply(splitOperator, [x], { sizes, axis });

export const zeros = ({ graph, shape }: Tensor): Tensor =>
  expand(
    constant(
      graph,
      Float32Array.of(0),
      shape.map(() => 1),
    ),
    shape,
  );
