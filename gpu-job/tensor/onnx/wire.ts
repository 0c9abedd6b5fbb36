/** The wire format of Protocol Buffers, as far as an ONNX file needs it: fields are written, none is read. */

/** The bytes of one message, in pieces, so that large tensors are copied once. */
export interface Message {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
}

const WIRE = { varint: 0, bytes: 2, fixed32: 5 } as const;

export function message(...fields: readonly Message[]): Message {
  return {
    pieces: fields.flatMap(({ pieces }) => pieces),
    length: fields.reduce((sum, { length }) => sum + length, 0),
  };
}

const single = (bytes: Uint8Array): Message => ({ pieces: [bytes], length: bytes.length });

/** Base 128, low group first; negative numbers as their 64-bit two's complement. */
function varint(value: number | bigint): number[] {
  const out: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 128n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
  out.push(Number(rest));
  return out;
}

const key = (field: number, wire: number): number[] => varint(field * 8 + wire);

export const intField = (field: number, value: number | bigint): Message =>
  single(Uint8Array.from([...key(field, WIRE.varint), ...varint(value)]));

export function floatField(field: number, value: number): Message {
  const bytes = new Uint8Array(Float32Array.of(value).buffer);
  return single(Uint8Array.from([...key(field, WIRE.fixed32), ...bytes]));
}

export const bytesField = (field: number, bytes: Uint8Array): Message => messageField(field, single(bytes));

export const textField = (field: number, text: string): Message => bytesField(field, new TextEncoder().encode(text));

export function messageField(field: number, content: Message): Message {
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
