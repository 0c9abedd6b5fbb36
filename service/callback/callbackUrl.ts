/** Which addresses may be called. */
import { ServiceError } from '../../packages/contract/errors.ts';
import type { Case } from '../../packages/contract/problems.ts';
import type { RefusalReason } from '../../packages/contract/reasons.ts';
import type { CallbackState } from '../../packages/contract/states.ts';

/**
 * What can be said of a `callback_url` without asking anybody; what its name stands for is looked at before each call.
 * Throws `invalid_parameter`.
 */
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

/** A host as DNS and sockets take it: an IPv6 address without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** Names without a dot, and some endings, are those of a network's own machines. */
const mayBePublic = (host: string): boolean =>
  isAddress(host) ? isPublicAddress(host) : /\.[^.]+\.?$/.test(host) && !/\.(localhost|local|internal)\.?$/i.test(host);

const refusal = (params: Case<RefusalReason>): ServiceError => new ServiceError(params, { field: 'callback_url' });

// Whether an IP address is one of the public internet: by the IANA registries of special-purpose addresses.

/** IPv4 blocks that are not: [first address, bits]. */
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

/** Of IPv6 only 2000::/3 is global unicast; of that, these are not: protocols and tunnels (IPv4 within), documentation. */
const SPECIAL_V6: readonly [groups: readonly number[], bits: number][] = [
  [[0x2001, 0], 23],
  [[0x2001, 0xdb8], 32],
  [[0x2002, 0], 16],
  [[0x2620, 0x4f], 32],
  [[0x3fff, 0], 20],
];

/** For the text of an address as DNS and URLs write it; false for what is no address. */
export function isPublicAddress(text: string): boolean {
  const v4 = parseV4(text);
  if (v4 !== undefined) return !SPECIAL_V4.some(([block, bits]) => sameBits(v4, parseV4(block) ?? 0, bits));
  const v6 = parseV6(text);
  if (!v6 || (v6[0] ?? 0) >> 13 !== 1) return false;
  const head = (v6[0] ?? 0) * 65_536 + (v6[1] ?? 0);
  return !SPECIAL_V6.some(([[first = 0, second = 0], bits]) => sameBits(head, first * 65_536 + second, bits));
}

/** Whether the text is an address and no name. */
export const isAddress = (text: string): boolean => parseV4(text) !== undefined || parseV6(text) !== undefined;

/** Whether the first bits of two 32-bit numbers are the same. */
const sameBits = (a: number, b: number, bits: number): boolean => (a ^ b) >>> (32 - bits) === 0;

function parseV4(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.reduce((value, part) => value * 256 + Number(part), 0);
}

/** Eight groups, or undefined. A zone (`%eth0`) belongs to link-local addresses: such a text is refused as no address. */
function parseV6(text: string): number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2 || !text.includes(':')) return undefined;
  const [head, tail] = halves.map(groupsOf);
  if (!head || (halves.length === 2 && !tail)) return undefined;
  if (halves.length === 1) return head.length === 8 ? head : undefined;
  const gap = 8 - head.length - (tail?.length ?? 0);
  return gap < 1 ? undefined : [...head, ...new Array<number>(gap).fill(0), ...(tail ?? [])];
}

/** The last group may be written as an IPv4 address, which stands for two. */
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

// The outbox: calls at the end of jobs, and how they are tried.

/**
 * A call to whoever asked for one at the end of a job (`callback_url`). It is noted before the job starts
 * and identified by the attempt, so that nothing that ends the job has to know of it:
 *
 *   POST /generate ──▶ enqueue ──▶ waiting ──take──▶ (a try) ──▶ note: delivered
 *                                 ▲                     ├──▶ note: waiting, due later
 *                                 └─────────────────────┘ └▶ note: failed, after the last try
 */
export interface Callback {
  jobId: string;
  attempt: number;
  /** Id of the API key by whose secret the call is signed. */
  keyId: string;
  url: string;
  state: CallbackState;
  /** Tries made. */
  tries: number;
  /** ISO 8601, UTC: no try is made before. */
  dueAt: string;
  /** What the last try met, in words. */
  lastAnswer: string | null;
}

/** Seconds from one try to the next: seven tries within nine hours. */
export const WAITS_SECONDS: readonly number[] = [10, 60, 300, 1800, 7200, 21_600];

/** How long a try may take, and how long nobody else makes one: also where the process that tries dies. */
export const TRY_MS = 10_000;
export const TAKEN_MS = 30_000;

/** The longest address, in characters. */
const MAX_URL_CHARACTERS = 2048;

/** Which addresses may be called: those of the public internet by https, or any by http too, as tests need it. */
export const CALLBACK_ADDRESSES = ['public', 'any'] as const;
export type CallbackAddresses = (typeof CALLBACK_ADDRESSES)[number];
