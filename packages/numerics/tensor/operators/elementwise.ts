/** Elementwise operators with NumPy broadcasting. */
import {
  applyOne,
  type GradientPoint,
  type Operator,
  type Shape,
  type Signature,
  scalar,
  showShape,
  type Tensor,
} from '../graph.ts';
import { sumTo } from './shapes.ts';

/** Throws a RangeError for incompatible shapes. */
function broadcast(a: Shape, b: Shape): Shape {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, k) => {
    const m = a[k - rank + a.length] ?? 1;
    const n = b[k - rank + b.length] ?? 1;
    if (m !== n && m !== 1 && n !== 1) throw new RangeError(`${showShape(a)} and ${showShape(b)} do not broadcast`);
    return Math.max(m, n);
  });
}

const inferBinary = ([a, b]: readonly Signature[]): Signature[] => [
  { shape: broadcast(a!.shape, b!.shape), type: 'float' },
];
const inferUnary = ([x]: readonly Signature[]): Signature[] => [{ shape: x!.shape, type: x!.type }];

function binary<Name extends string>(
  name: Name,
  rules: ((a: Tensor, b: Tensor, g: Tensor, out: Tensor) => Tensor)[],
): Operator<Name> {
  const gradient = ({ inputs: [a, b], outputs: [out], outputGradients: [g], isAsked }: GradientPoint) =>
    [a!, b!].map((own, k) => (isAsked[k] ? sumTo(rules[k]!(a!, b!, g!, out!), own.shape) : null));
  return { name, infer: inferBinary, ...(rules.length > 0 && { gradient }) };
}

const unary = <Name extends string>(
  name: Name,
  rule: (x: Tensor, out: Tensor, g: Tensor) => Tensor,
): Operator<Name> => ({
  name,
  infer: inferUnary,
  gradient: ({ inputs: [x], outputs: [out], outputGradients: [g] }) => [rule(x!, out!, g!)],
});

const addOperator = binary('add', [(_a, _b, g) => g, (_a, _b, g) => g]);
const subtractOperator = binary('subtract', [(_a, _b, g) => g, (_a, _b, g) => negate(g)]);
const multiplyOperator = binary('multiply', [(_a, b, g) => multiply(g, b), (a, _b, g) => multiply(g, a)]);
const divideOperator = binary('divide', [
  (_a, b, g) => divide(g, b),
  (_a, b, g, out) => negate(divide(multiply(g, out), b)),
]);
const equalOperator = binary('equal', []);
const minimumOperator = binary('minimum', []);

export const add = (a: Tensor, b: Tensor): Tensor => applyOne(addOperator, [a, b]);
export const subtract = (a: Tensor, b: Tensor): Tensor => applyOne(subtractOperator, [a, b]);
export const multiply = (a: Tensor, b: Tensor): Tensor => applyOne(multiplyOperator, [a, b]);
export const divide = (a: Tensor, b: Tensor): Tensor => applyOne(divideOperator, [a, b]);
export const equal = (a: Tensor, b: Tensor): Tensor => applyOne(equalOperator, [a, b]);
export const minimum = (a: Tensor, b: Tensor): Tensor => applyOne(minimumOperator, [a, b]);
export const scale = (x: Tensor, by: number): Tensor => multiply(x, scalar(x.graph, by));

const negateOperator = unary('negate', (_x, _out, g) => negate(g));
const expOperator = unary('exp', (_x, out, g) => multiply(g, out));
const logOperator = unary('log', (x, _out, g) => divide(g, x));
const sqrtOperator = unary('sqrt', (_x, out, g) => divide(scale(g, 0.5), out));
const sigmoidOperator = unary('sigmoid', (x, out, g) => multiply(g, multiply(out, subtract(scalar(x.graph, 1), out))));
/** x σ(x), derivative σ + silu (1 - σ). */
const siluOperator = unary('silu', (x, out, g) => {
  const gate = sigmoid(x);
  return multiply(g, add(gate, multiply(out, subtract(scalar(x.graph, 1), gate))));
});

export const negate = (x: Tensor): Tensor => applyOne(negateOperator, [x]);
export const exp = (x: Tensor): Tensor => applyOne(expOperator, [x]);
export const log = (x: Tensor): Tensor => applyOne(logOperator, [x]);
export const sqrt = (x: Tensor): Tensor => applyOne(sqrtOperator, [x]);
export const sigmoid = (x: Tensor): Tensor => applyOne(sigmoidOperator, [x]);
export const silu = (x: Tensor): Tensor => applyOne(siluOperator, [x]);
