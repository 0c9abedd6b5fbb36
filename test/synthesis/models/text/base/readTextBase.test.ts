import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../../packages/numerics/random/createStream.ts';
import { halfToFloat } from '../../../../../packages/synthesis/models/text/base/quantised.ts';
import { readTextBase } from '../../../../../packages/synthesis/models/text/base/readTextBase.ts';
import { TextBaseError } from '../../../../../packages/synthesis/models/text/base/textBase.ts';
import { cutVocabulary } from '../../../../../packages/synthesis/models/text/tokens/vocabulary.ts';
import { matrixNames, PIECES, SMALL, SMALL_TABLE, SMALL_WEIGHTS } from '../support/smallBase.ts';
import { SMALL_VALUES, smallGguf, smallTensors, writeGguf } from '../support/writeGguf.ts';
import { jsonBytes, SMALL_CONFIG, smallSafetensors } from '../support/writeSafetensors.ts';

const gguf = (bytes: Uint8Array) => readTextBase(new Map([['model.gguf', bytes]]));

describe.each([
  ['one GGUF file', () => gguf(smallGguf())],
  ['safetensors', () => readTextBase(smallSafetensors())],
])('a base from %s', (_, read) => {
  it('has the architecture, the pieces and the weights that were written', () => {
    const base = read();
    expect({ ...base.architecture, epsilon: 0 }).toEqual({ ...SMALL, epsilon: 0 });
    expect(base.architecture.epsilon).toBeCloseTo(SMALL.epsilon, 9);
    expect(base.pieces).toEqual(new Map(PIECES.map((piece, id) => [piece, id])));
    expect(base.end).toBe(0);
    expect(base.embedding(3)).toEqual(SMALL_TABLE.slice(3 * SMALL.width, 4 * SMALL.width));
    const { layers, finalNorm } = base.weights([1, 0]);
    expect(finalNorm).toEqual(SMALL_WEIGHTS.finalNorm);
    for (const name of matrixNames) {
      expect(layers[0]![name]).toEqual(SMALL_WEIGHTS.layers[1]![name]);
      expect(layers[1]![name]).toEqual(SMALL_WEIGHTS.layers[0]![name]);
    }
  });

  it('cuts words at digits and merges inside of words alone', () => {
    const { tokenizer, pieces } = read();
    const { encode, pieces: kept } = cutVocabulary(tokenizer, pieces, ['the the 12']);
    expect(encode('the the 12').map((id) => kept[id])).toEqual(['the', 'Ġthe', 'Ġ', '1', '2']);
  });
});

describe('encodings of GGUF tensors', () => {
  const random = createStream(3, 'encodings');
  const block = (bytes: number): Uint8Array => Uint8Array.from({ length: bytes }, () => random.integer(256));
  /** Embeddings in one encoding, all else as it was. */
  const withTable = (type: number, bytes: Uint8Array) => {
    const [table, ...others] = smallTensors();
    return gguf(writeGguf(SMALL_VALUES, [{ ...table!, type, bytes }, ...others]));
  };
  const half = (bytes: Uint8Array, at: number): number => halfToFloat(bytes[at]! + 256 * bytes[at + 1]!);
  const finite = (bytes: Uint8Array, ...at: number[]): Uint8Array => {
    for (const place of at) bytes[place] = bytes[place]! & 0x3b;
    return bytes;
  };
  const nibble = (bytes: Uint8Array, at: number, k: number): number =>
    k < 16 ? bytes[at + k]! & 15 : bytes[at + k - 16]! >> 4;
  const joined = (blocks: Uint8Array[]): Uint8Array => Uint8Array.from(blocks.flatMap((own) => [...own]));
  const rows = PIECES.length;

  it.each([
    ['Q4_0', 2, 18, (b: Uint8Array, k: number) => half(b, 0) * (nibble(b, 2, k) - 8)],
    ['Q4_1', 3, 20, (b: Uint8Array, k: number) => half(b, 0) * nibble(b, 4, k) + half(b, 2)],
    ['Q8_0', 8, 34, (b: Uint8Array, k: number) => half(b, 0) * ((b[2 + k]! << 24) >> 24)],
  ] as const)('reads %s by its definition', (_, type, size, value) => {
    const blocks = Array.from({ length: rows }, () => finite(block(size), 1, 3));
    const base = withTable(type, joined(blocks));
    for (const row of [0, 1, rows - 1]) {
      const expected = Float32Array.from({ length: 32 }, (_, k) => value(blocks[row]!, k));
      for (const [k, entry] of base.embedding(row).entries()) expect(entry).toBeCloseTo(expected[k]!, 4);
    }
  });

  it('reads F16, subnormal numbers among them', () => {
    expect([0x3c00, 0xc000, 0x0001, 0x7bff, 0x8000].map(halfToFloat)).toEqual([1, -2, 2 ** -24, 65504, -0]);
    expect(halfToFloat(0x7c00)).toBe(Number.POSITIVE_INFINITY);
    expect(halfToFloat(0x7e00)).toBeNaN();
    const bytes = new Uint8Array(Uint16Array.from({ length: rows * 32 }, (_, k) => 0x3c00 + (k % 32)).buffer);
    expect(withTable(1, bytes).embedding(2)[1]).toBe(1 + 1 / 1024);
  });
});

describe('a base that cannot be used', () => {
  const refusal = (read: () => unknown): string => {
    try {
      read();
    } catch (error) {
      expect(error).toBeInstanceOf(TextBaseError);
      return error instanceof Error ? error.message : '';
    }
    throw new Error('nothing was refused');
  };

  it('is refused where its GGUF file is cut off, at any place', () => {
    const whole = smallGguf();
    for (const share of [0.001, 0.02, 0.3, 0.999]) {
      const bytes = whole.slice(0, Math.floor(share * whole.length));
      const message = refusal(() => {
        const base = gguf(bytes);
        base.weights([0, 1]);
        base.embedding(PIECES.length - 1);
      });
      expect(message).toMatch(/incomplete|does not begin/);
    }
  });

  it('is refused where it is of another architecture, encoding or tokenizer, by name', () => {
    const other = (values: Partial<typeof SMALL_VALUES>) => () =>
      gguf(writeGguf({ ...SMALL_VALUES, ...values } as typeof SMALL_VALUES, smallTensors()));
    expect(refusal(other({ 'general.architecture': 'mamba' }))).toContain('"mamba"; only "llama"');
    expect(refusal(other({ 'tokenizer.ggml.model': 'llama' }))).toContain('only byte-level BPE');
    expect(refusal(other({ 'tokenizer.ggml.pre': 'odd' }))).toContain('"odd"; supported are');
    expect(refusal(other({ 'llama.attention.head_count_kv': 3 }))).toContain('cannot share');
    const [table, ...rest] = smallTensors();
    expect(refusal(() => gguf(writeGguf(SMALL_VALUES, [{ ...table!, type: 14 }, ...rest])))).toContain('ggml type 14');
  });

  it('is refused where its safetensors are cut off, damaged, or of another kind', () => {
    const changed = (name: string, bytes: Uint8Array) => () => {
      const base = readTextBase(smallSafetensors().set(name, bytes));
      base.weights([0, 1]);
    };
    const weights = smallSafetensors().get('model.safetensors')!;
    expect(refusal(changed('model.safetensors', weights.slice(0, 4)))).toContain('incomplete');
    expect(refusal(changed('model.safetensors', weights.slice(0, weights.length - 8)))).toContain('incomplete');
    expect(refusal(changed('config.json', jsonBytes({ ...SMALL_CONFIG, model_type: 'gpt2' })))).toContain('"gpt2"');
    expect(refusal(changed('config.json', new TextEncoder().encode('{')))).toContain('not valid JSON');
    expect(refusal(changed('tokenizer.json', jsonBytes({})))).toContain('tokenizer.json is not as expected');
    const tokenizer = JSON.parse(new TextDecoder().decode(smallSafetensors().get('tokenizer.json')));
    const pre_tokenizer = { type: 'Split', behavior: 'Isolated', pattern: { Regex: '(unclosed' } };
    expect(refusal(changed('tokenizer.json', jsonBytes({ ...tokenizer, pre_tokenizer })))).toContain('(unclosed');
  });

  it('is refused where the folder has no base, or several', () => {
    expect(refusal(() => readTextBase(new Map()))).toContain('neither a GGUF file nor');
    expect(
      refusal(() =>
        readTextBase(
          new Map([
            ['a.gguf', smallGguf()],
            ['b.gguf', smallGguf()],
          ]),
        ),
      ),
    ).toContain('2 GGUF');
  });
});
