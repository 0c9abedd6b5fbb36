import { ServiceError } from '../../packages/contract/errors.ts';
import type { Case } from '../../packages/contract/problems.ts';
import type { RefusalReason } from '../../packages/contract/reasons.ts';
import type { CallbackState } from '../../packages/contract/states.ts';

/** Works without DNS; the sender checks the address itself. Throws `invalid_parameter`. */
export function checkCallbackUrl(text: string, addresses: CallbackAddresses): string {
  if (text.length > MAX_URL_CHARACTERS) throw refusal({ reason: 'callback_url_too_long', max: MAX_URL_CHARACTERS });
  if (!URL.canParse(text)) throw refusal({ reason: 'callback_url_malformed' });
  const url = new URL(text);
  const isAny = addresses === 'any';
  if (url.protocol !== 'https:' && !(isAny && url.protocol === 'http:'))
    throw refusal({ reason: 'callback_url_not_https' });
  if (url.username !== '' || url.password !== '') {
    throw refusal({ reason: 'callback_url_with_password' });
  }
  if (!isAny && !mayBePublic(hostOf(url))) {
    throw refusal({ reason: 'callback_url_not_public' });
  }
  url.hash = '';
  return url.href;
}

/** Drops the brackets of an IPv6 address, as DNS and sockets need it. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** Names without a dot, or with these endings, are local. */
const mayBePublic = (host: string): boolean =>
  isAddress(host) ? isPublicAddress(host) : /\.[^.]+\.?$/.test(host) && !/\.(localhost|local|internal)\.?$/i.test(host);

const refusal = (params: Case<RefusalReason>): ServiceError => new ServiceError(params, { field: 'callback_url' });

/** IPv4 blocks that are not public (IANA special-purpose registry): [first address, prefix bits]. */
const SPECIAL_V4: readonly [address: string, bits: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Non-public blocks within 2000::/3, the only global unicast range. */
const SPECIAL_V6: readonly [groups: readonly number[], bits: number][] = [
  [[0x2001, 0], 23],
  [[0x2001, 0xdb8], 32],
  [[0x2002, 0], 16],
  [[0x2620, 0x4f], 32],
  [[0x3fff, 0], 20],
];

/** Returns false for text that is not an IP address. */
export function isPublicAddress(text: string): boolean {
  const v4 = parseV4(text);
  if (v4 !== undefined) return !SPECIAL_V4.some(([block, bits]) => sameBits(v4, parseV4(block) ?? 0, bits));
  const v6 = parseV6(text);
  if (!v6 || (v6[0] ?? 0) >> 13 !== 1) return false;
  const head = (v6[0] ?? 0) * 65_536 + (v6[1] ?? 0);
  return !SPECIAL_V6.some(([[first = 0, second = 0], bits]) => sameBits(head, first * 65_536 + second, bits));
}

export const isAddress = (text: string): boolean => parseV4(text) !== undefined || parseV6(text) !== undefined;

const sameBits = (a: number, b: number, bits: number): boolean => (a ^ b) >>> (32 - bits) === 0;

function parseV4(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.reduce((value, part) => value * 256 + Number(part), 0);
}

/** Returns eight groups. Rejects a zone (`%eth0`), which only link-local addresses have. */
function parseV6(text: string): number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2 || !text.includes(':')) return undefined;
  const [head, tail] = halves.map(groupsOf);
  if (!head || (halves.length === 2 && !tail)) return undefined;
  if (halves.length === 1) return head.length === 8 ? head : undefined;
  const gap = 8 - head.length - (tail?.length ?? 0);
  return gap < 1 ? undefined : [...head, ...new Array<number>(gap).fill(0), ...(tail ?? [])];
}

function groupsOf(text: string): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [at, part] of parts.entries()) {
    const v4 = at === parts.length - 1 ? parseV4(part) : undefined;
    if (v4 !== undefined) groups.push(v4 >>> 16, v4 & 0xffff);
    else if (/^[\da-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

/**
 * Stored before the job starts, so that code that ends a job need not know of it:
 *
 *   POST /generate ──▶ enqueue ──▶ waiting ──take──▶ (a try) ──▶ note: delivered
 *                                 ▲                     ├──▶ note: waiting, due later
 *                                 └─────────────────────┘ └▶ note: failed, after the last try
 */
export interface Callback {
  jobId: string;
  attempt: number;
  /** API key whose secret signs the call. */
  keyId: string;
  url: string;
  state: CallbackState;
  tries: number;
  dueAt: string;
  lastAnswer: string | null;
}

/** Seconds between tries: seven tries within nine hours. */
export const WAITS_SECONDS: readonly number[] = [10, 60, 300, 1800, 7200, 21_600];

/** Timeout of a try (ms), and how long it excludes others if its process dies. */
export const TRY_MS = 10_000;
export const TAKEN_MS = 30_000;

const MAX_URL_CHARACTERS = 2048;

/** `any` also allows http and local addresses, for tests. */
export const CALLBACK_ADDRESSES = ['public', 'any'] as const;
export type CallbackAddresses = (typeof CALLBACK_ADDRESSES)[number];
