/** ONNX messages (onnx.proto, IR version 9) by field number. */

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

/** Shifts bytes by 128: unsigned products are exact, while signed ones saturate at 16 bits without VNNI. */
export function unsigned(values: Int8Array): Uint8Array {
  const bytes = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) bytes[i] = values[i]! + 128;
  return bytes;
}

/** Little-endian. */
export function tensorMessage(
  name: string,
  type: ElementType,
  shape: readonly number[],
  values: TensorValues,
): Message {
  const written = values instanceof Int8Array ? unsigned(values) : values;
  const bytes = new Uint8Array(written.buffer, written.byteOffset, written.byteLength);
  return message(
    ...shape.map((length) => intField(1, length)),
    intField(2, ELEMENT[type]),
    textField(8, name),
    bytesField(9, bytes),
  );
}

/** Axes are lengths, names if open, or Infinity if unnamed. */
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
/** onnxruntime's own operators. */
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

// Protocol Buffers writer.

/** Pieces avoid copying large tensors twice. */
export interface Message {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
}

const WIRE = { varint: 0, bytes: 2, fixed32: 5 } as const;

function message(...fields: readonly Message[]): Message {
  return {
    pieces: fields.flatMap(({ pieces }) => pieces),
    length: fields.reduce((sum, { length }) => sum + length, 0),
  };
}

const single = (bytes: Uint8Array): Message => ({ pieces: [bytes], length: bytes.length });

/** Base 128, low group first; negatives in 64-bit two's complement. */
function varint(value: number | bigint): number[] {
  const out: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 128n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
  out.push(Number(rest));
  return out;
}

const key = (field: number, wire: number): number[] => varint(field * 8 + wire);

const intField = (field: number, value: number | bigint): Message =>
  single(Uint8Array.from([...key(field, WIRE.varint), ...varint(value)]));

function floatField(field: number, value: number): Message {
  const bytes = new Uint8Array(Float32Array.of(value).buffer);
  return single(Uint8Array.from([...key(field, WIRE.fixed32), ...bytes]));
}

const bytesField = (field: number, bytes: Uint8Array): Message => messageField(field, single(bytes));

const textField = (field: number, text: string): Message => bytesField(field, new TextEncoder().encode(text));

function messageField(field: number, content: Message): Message {
  return message(single(Uint8Array.from([...key(field, WIRE.bytes), ...varint(content.length)])), content);
}

export function bytesOf({ pieces, length }: Message): Uint8Array {
  const out = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    out.set(piece, at);
    at += piece.length;
  }
  return out;
}
