/** Receipts that were changed in any way that a forger or a bad line could: none of them verifies. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createSigner, keyOfSeed } from '../../../adapters/shared/keys.ts';
import { verifyReceipt } from '../../../cli/verifyReceipt.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { describeKey, signReceipt } from '../../../service/receipt.ts';
import { FILE, manifestOf } from '../../support/manifests.ts';

const MUTATIONS = 10_000;

type Value = string | number | boolean | null | Value[] | Fields;
interface Fields {
  [name: string]: Value;
}

const signerOf = (seed: number) => createSigner(async () => keyOfSeed(new Uint8Array(32).fill(seed)));
const signer = signerOf(5);
const stream = createStream(20_261_124, 'mutated receipts');
const pick = <T>(items: readonly T[]): T => items[stream.integer(items.length)]!;

const signed = async (jobId: string, by = signer) =>
  JSON.stringify(await signReceipt({ ...manifestOf(), job_id: jobId }, by));
const texts = [await signed('a'), await signed('b'), `{"success":true,"data":${await signed('c')},"error":null}`];
const foreign = [await signed('a', signerOf(6)), await signed('d')].map(parsed);
const { key_id: key } = describeKey(await signer.publicKey());

function parsed(text: string): Fields {
  return JSON.parse(text);
}

/** Every object and list of a value, with the value itself. */
function* containers(value: Value): Generator<Fields | Value[]> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const inner of Object.values(value)) yield* containers(inner);
}

const NAMES = ['note', '__proto__', 'constructor', 'format', 'sha256', 'job_id', 'value', 'manifest', 'signature', ''];
const VALUES: Value[] = [null, true, 0, -1, 1e21, 0.1, '', 'x', 'f'.repeat(64), [], {}, ['x'], { x: 1 }];

/** As text, since an assignment to `__proto__` makes no field. */
const withField = (text: string, at: number, name: string, value: Value): string => {
  const isEmpty = /^\s*\}/.test(text.slice(at));
  return `${text.slice(0, at)}${JSON.stringify(name)}:${JSON.stringify(value)}${isEmpty ? '' : ','}${text.slice(at)}`;
};

const KINDS: Record<string, (text: string) => string> = {
  'bytes that flip'(text) {
    const bytes = Buffer.from(text);
    for (let i = 0; i <= stream.integer(3); i++) {
      const at = stream.integer(bytes.length);
      bytes[at] = bytes[at]! ^ (1 << stream.integer(8));
    }
    return bytes.toString();
  },
  'another value of a field'(text) {
    const root = parsed(text);
    const place = pick([...containers(root)].filter((each) => Object.keys(each).length > 0));
    Object.assign(place, { [pick(Object.keys(place))]: pick(VALUES) });
    return JSON.stringify(root);
  },
  'a field or item that is gone'(text) {
    const root = parsed(text);
    const place = pick([...containers(root)].filter((each) => Object.keys(each).length > 0));
    if (Array.isArray(place)) place.splice(stream.integer(place.length), 1);
    else delete place[pick(Object.keys(place))];
    return JSON.stringify(root);
  },
  'one more field'(text) {
    const starts = [...text.matchAll(/\{/g)].map(({ index }) => index + 1);
    return withField(text, pick(starts), pick(NAMES), pick(VALUES));
  },
  'a field twice'(text) {
    const names = [...text.matchAll(/"(\w+)":/g)];
    const { index, 1: name = '' } = pick(names);
    return withField(text, index, name, pick(VALUES));
  },
  'an end too soon': (text) => text.slice(0, stream.integer(text.length)),
  'the signature of another receipt or key'(text) {
    const root = parsed(text);
    const target = 'data' in root ? root.data : root;
    const other = pick([...foreign, ...texts.slice(0, 2).map(parsed)]);
    if (typeof target !== 'object' || target === null || Array.isArray(target)) return '';
    const own = target.signature as Fields;
    const theirs = other.signature as Fields;
    if (stream.integer(2) === 0) target.signature = theirs;
    else own[pick(['value', 'public_key', 'key_id'])] = theirs[pick(['value', 'public_key', 'key_id'])]!;
    return JSON.stringify(root);
  },
  'a signature in another spelling'(text) {
    const [, value = ''] = /"value":"([^"]*)"/.exec(text) ?? [];
    const at = stream.integer(value.length);
    const other = pick([
      value.slice(0, -1),
      value.replace(/=+$/, ''),
      `${value}=`,
      ` ${value}`,
      `${value.slice(0, at)}${pick([...'AQgw+/= '])}${value.slice(at + 1)}`,
      Buffer.from(value, 'base64').toString('base64url'),
    ]);
    return text.replace(value, other);
  },
};

describe('of ten thousand changed receipts', () => {
  it('none verifies, and nearly all say something else', () => {
    const kinds = Object.keys(KINDS);
    let same = 0;
    for (let i = 0; i < MUTATIONS; i++) {
      const kind = kinds[i % kinds.length]!;
      const text = pick(texts);
      const changed = KINDS[kind]!(text);
      if (kind !== 'a field twice' && saysTheSame(changed, text)) {
        same++;
        continue;
      }
      const { faults } = verifyReceipt({ receipt: changed, file: FILE, key });
      if (faults.length === 0) expect.fail(`${kind}: ${changed}`);
    }
    expect(same).toBeLessThan(MUTATIONS / 20);
    for (const text of texts) expect(verifyReceipt({ receipt: text, file: FILE, key }).faults).toEqual([]);
  });
});

function saysTheSame(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    return isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
  } catch {
    return false;
  }
}
