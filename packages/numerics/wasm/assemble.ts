/** Pointers and counts are i32, numbers f64 or f32, vectors v128. */

export type Code = readonly (number | Code)[];

export type ValueType = 'i32' | 'f32' | 'f64' | 'v128';

export interface FunctionCode {
  name: string;
  /** All i32. */
  parameters: number;
  locals: readonly ValueType[];
  body: Code;
}

const TYPES: Record<ValueType, number> = { i32: 0x7f, f32: 0x7d, f64: 0x7c, v128: 0x7b };

/** Functions return nothing and import shared memory as `env.memory`. */
export function assemble(functions: readonly FunctionCode[]): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }) => [0x60, vector(new Array(parameters).fill([TYPES.i32])), vector([])]);
  const memory = [text('env'), text('memory'), 0x02, 0x03, unsigned(1), unsigned(MAX_PAGES)];
  const module: Code = [
    [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    section(1, vector(types)),
    section(2, vector([memory])),
    section(3, vector(functions.map((_, at) => unsigned(at)))),
    section(7, vector(functions.map(({ name }, at) => [text(name), 0x00, unsigned(at)]))),
    section(10, vector(functions.map(functionBody))),
  ];
  return Uint8Array.from(flat(module));
}

const flat = (code: Code): number[] => code.flatMap((part) => (typeof part === 'number' ? [part] : flat(part)));
const vector = (items: readonly Code[]): Code => [unsigned(items.length), items];
const text = (of: string): Code => vector([...of].map((letter) => [letter.charCodeAt(0)]));
const sized = (code: Code): Code => {
  const bytes = flat(code);
  return [unsigned(bytes.length), bytes];
};
const section = (number: number, content: Code): Code => [number, sized(content)];

const functionBody = ({ locals, body }: FunctionCode): Code =>
  sized([vector(locals.map((type) => [1, TYPES[type]])), body, END]);

/** LEB128. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, unsigned(value >>> 7)];
}

function signed(value: number): Code {
  const isLast = value >= -0x40 && value < 0x40;
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, signed(value >> 7)];
}

// `offset`: bytes added to the address.

const END = 0x0b;
const VOID = 0x40;

export const get = (local: number): Code => [0x20, unsigned(local)];
export const set = (local: number): Code => [0x21, unsigned(local)];
export const tee = (local: number): Code => [0x22, unsigned(local)];

export const i32 = {
  constant: (value: number): Code => [0x41, signed(value)],
  add: [0x6a],
  lessThan: [0x49],
  moreThan: [0x4b],
  isZero: [0x45],
  and: [0x71],
  mul: [0x6c],
  shiftRight: [0x76],
  shiftLeft: [0x74],
  trailingZeros: [0x68],
  load: (offset = 0): Code => [0x28, 2, unsigned(offset)],
  load16: (offset = 0): Code => [0x2f, 1, unsigned(offset)],
  load8: (offset = 0): Code => [0x2d, 0, unsigned(offset)],
} as const;

export const f64 = {
  load: (offset = 0): Code => [0x2b, 3, unsigned(offset)],
  store: (offset = 0): Code => [0x39, 3, unsigned(offset)],
  add: [0xa0],
  /** f32 to f64. */
  promote: [0xbb],
} as const;

export const f32 = {
  constant: (value: number): Code => [0x43, [...new Uint8Array(Float32Array.of(value).buffer)]],
  load: (offset = 0): Code => [0x2a, 2, unsigned(offset)],
  store: (offset = 0): Code => [0x38, 2, unsigned(offset)],
  add: [0x92],
  sub: [0x93],
  div: [0x95],
  max: [0x97],
} as const;

const simd = (opcode: number): Code => [0xfd, unsigned(opcode)];

/** `loadFloats` converts two f32. */
export const f64x2 = {
  load: (offset = 0): Code => [simd(0x00), 3, unsigned(offset)],
  store: (offset = 0): Code => [simd(0x0b), 3, unsigned(offset)],
  loadFloats: (offset = 0): Code => [simd(0x5d), 2, unsigned(offset), simd(0x5f)],
  loadSplat: (offset = 0): Code => [simd(0x0a), 3, unsigned(offset)],
  zero: [simd(0x0c), new Array<number>(16).fill(0)],
  lane: (at: 0 | 1): Code => [simd(0x21), at],
  add: simd(0xf0),
  sub: simd(0xf1),
  mul: simd(0xf2),
  div: simd(0xf3),
} as const;

export const f32x4 = {
  load: (offset = 0): Code => [simd(0x00), 4, unsigned(offset)],
  store: (offset = 0): Code => [simd(0x0b), 4, unsigned(offset)],
  splat: simd(0x13),
  zero: f64x2.zero,
  lane: (at: 0 | 1 | 2 | 3): Code => [simd(0x1f), at],
  add: simd(0xe4),
  sub: simd(0xe5),
  mul: simd(0xe6),
  max: simd(0xe9),
  nearest: simd(0x6a),
  toIntegers: simd(0xf8),
} as const;

/** `swizzle` selects bytes by index, 0 if out of range. */
export const i8x16 = {
  load: (offset = 0): Code => [simd(0x00), 4, unsigned(offset)],
  constant: (byte: number): Code => [simd(0x0c), new Array<number>(16).fill(byte)],
  splat: simd(0x0f),
  swizzle: simd(0x0e),
  moreThan: simd(0x28),
  sub: simd(0x71),
} as const;

/** `andNot`: first and not second. */
export const v128 = {
  and: simd(0x4e),
  andNot: simd(0x4f),
  or: simd(0x50),
} as const;

/** `fromLow`, `fromHigh` widen signed i16 halves. */
export const i32x4 = {
  load: (offset = 0): Code => [simd(0x00), 4, unsigned(offset)],
  store: (offset = 0): Code => [simd(0x0b), 4, unsigned(offset)],
  loadSplat: (offset = 0): Code => [simd(0x09), 2, unsigned(offset)],
  fromLow: simd(0xa7),
  fromHigh: simd(0xa8),
  splat: simd(0x11),
  add: simd(0xae),
  shiftLeft: simd(0xab),
} as const;

/** Widens signed byte halves. */
export const i16x8 = {
  fromLow: simd(0x87),
  fromHigh: simd(0x88),
} as const;

export const advance = (local: number, by: number): Code => [get(local), i32.constant(by), i32.add, set(local)];

/** Runs at least once; `body` advances pointer `local`. */
export const repeatWhileBelow = (local: number, end: number, body: Code): Code => [
  [0x03, VOID],
  body,
  [get(local), get(end), i32.lessThan],
  [0x0d, 0, END],
];

/** `body` updates `flag`. */
export const whileSet = (flag: number, body: Code): Code => [
  [get(flag), 0x04, VOID, 0x03, VOID],
  body,
  [get(flag), 0x0d, 0, END, END],
];

export const either = (flag: number, one: Code, other: Code): Code => [[get(flag), 0x04, VOID], one, 0x05, other, END];

/** May skip `body`. */
export const whileBelow = (local: number, end: number, body: Code): Code => [
  [get(local), get(end), i32.lessThan],
  [0x04, VOID],
  repeatWhileBelow(local, end, body),
  END,
];

// TypeScript only declares these for browsers.

export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
  /** Returns previous pages; throws a RangeError beyond the maximum. */
  grow(pages: number): number;
}

export type Compiled = Record<string, (...pointers: number[]) => void>;

declare const WebAssembly: {
  Memory: new (limits: { initial: number; maximum: number; shared: true }) => SharedMemory;
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: { env: { memory: SharedMemory } }) => { exports: Compiled };
};

export const PAGE = 65_536;
/** 32-bit addresses. */
const MAX_PAGES = 65_536;

export const createMemory = (initial: number, maximum: number): SharedMemory =>
  new WebAssembly.Memory({ initial, maximum, shared: true });

export const isMemory = (value: object): value is SharedMemory => value instanceof WebAssembly.Memory;

const compiled = new WeakMap<Uint8Array, object>();

export function instantiate(code: Uint8Array<ArrayBuffer>, memory: SharedMemory): Compiled {
  const module = compiled.get(code) ?? new WebAssembly.Module(code);
  compiled.set(code, module);
  return new WebAssembly.Instance(module, { env: { memory } }).exports;
}
