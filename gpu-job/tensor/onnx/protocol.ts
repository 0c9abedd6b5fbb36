/** The messages of an ONNX file (onnx.proto, IR version 9), by their field numbers there. */
import { bytesField, floatField, intField, type Message, message, messageField, textField } from './wire.ts';

export const ELEMENT = { float: 1, uint8: 2, int8: 3, int32: 6, int64: 7, bool: 9, float16: 10 } as const;
export type ElementType = keyof typeof ELEMENT;

const ATTRIBUTE = { float: 1, int: 2, text: 3, graph: 5, ints: 7 } as const;

export const floatAttribute = (name: string, value: number): Message =>
  message(textField(1, name), floatField(2, value), intField(20, ATTRIBUTE.float));
export const intAttribute = (name: string, value: number): Message =>
  message(textField(1, name), intField(3, value), intField(20, ATTRIBUTE.int));
export const textAttribute = (name: string, value: string): Message =>
  message(textField(1, name), textField(4, value), intField(20, ATTRIBUTE.text));
export const graphAttribute = (name: string, graph: Message): Message =>
  message(textField(1, name), messageField(6, graph), intField(20, ATTRIBUTE.graph));
export const intsAttribute = (name: string, values: readonly number[]): Message =>
  message(textField(1, name), ...values.map((value) => intField(8, value)), intField(20, ATTRIBUTE.ints));

export function nodeMessage(
  type: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: readonly Message[] = [],
  domain = '',
): Message {
  return message(
    ...inputs.map((name) => textField(1, name)),
    ...outputs.map((name) => textField(2, name)),
    textField(4, type),
    ...attributes.map((attribute) => messageField(5, attribute)),
    ...(domain === '' ? [] : [textField(7, domain)]),
  );
}

export type TensorValues = Float32Array | Int32Array | Int8Array | BigInt64Array | Uint8Array;

/** Values that stand in the file, little-endian as they are in memory. */
export function tensorMessage(
  name: string,
  type: ElementType,
  shape: readonly number[],
  values: TensorValues,
): Message {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return message(
    ...shape.map((length) => intField(1, length)),
    intField(2, ELEMENT[type]),
    textField(8, name),
    bytesField(9, bytes),
  );
}

/** A named value; axes are lengths, or names where they are open, or Infinity where they need no name. */
export function valueMessage(name: string, type: ElementType, shape: readonly (number | string)[]): Message {
  const axes = shape.map((length) =>
    messageField(1, Number.isFinite(length) ? intField(1, Number(length)) : textField(2, `${length}`)),
  );
  const tensor = message(intField(1, ELEMENT[type]), messageField(2, message(...axes)));
  return message(textField(1, name), messageField(2, messageField(1, tensor)));
}

export interface GraphParts {
  readonly nodes: readonly Message[];
  readonly initializers: readonly Message[];
  readonly inputs: readonly Message[];
  readonly outputs: readonly Message[];
}

export function graphMessage(name: string, { nodes, initializers, inputs, outputs }: GraphParts): Message {
  return message(
    ...nodes.map((node) => messageField(1, node)),
    textField(2, name),
    ...initializers.map((tensor) => messageField(5, tensor)),
    ...inputs.map((value) => messageField(11, value)),
    ...outputs.map((value) => messageField(12, value)),
  );
}

const IR_VERSION = 9;
const OPSET = 18;
/** The domain of onnxruntime's own operators, and its version. */
export const CONTRIBUTED = 'com.microsoft';
const CONTRIBUTED_VERSION = 1;

const operatorSet = (domain: string, version: number): Message =>
  messageField(8, message(textField(1, domain), intField(2, version)));

export const modelMessage = (graph: Message): Message =>
  message(
    intField(1, IR_VERSION),
    messageField(7, graph),
    operatorSet('', OPSET),
    operatorSet(CONTRIBUTED, CONTRIBUTED_VERSION),
  );
