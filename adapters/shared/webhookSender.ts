/**
 * Resolves a client-supplied name once, checks every address and connects to one of them, so that a later DNS change
 * has no effect. Follows no redirects.
 */
import { lookup as dnsLookup } from 'node:dns/promises';
import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type CallbackAddresses, hostOf, isAddress, isPublicAddress } from '../../service/callback/callbackUrl.ts';
import type { CallbackAnswer, CallbackSender } from '../../service/ports.ts';

interface ResolvedAddress {
  address: string;
  family: number;
}

export type Resolve = (host: string) => Promise<ResolvedAddress[]>;

interface WebhookSenderOptions {
  addresses: CallbackAddresses;
  userAgent: string;
  resolve?: Resolve;
}

const MAX_SAID = 200;

const resolveBySystem: Resolve = (host) => dnsLookup(host, { all: true, verbatim: true });

export function createSender({
  addresses,
  userAgent,
  resolve = resolveBySystem,
}: WebhookSenderOptions): CallbackSender {
  return {
    async send(address, headers, body, timeoutMs) {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const url = new URL(address);
        if (addresses !== 'any' && url.protocol !== 'https:') return notCalled('only https is called');
        const pinned = await within(signal, resolveTo(hostOf(url), addresses, resolve));
        if (typeof pinned === 'string') return notCalled(pinned);
        const length = String(Buffer.byteLength(body));
        const all = { ...headers, 'user-agent': userAgent, 'content-length': length };
        return await post(url, { method: 'POST', headers: all, signal, lookup: to(pinned), agent: false }, body);
      } catch (error) {
        return notCalled(signal.aborted ? `no answer within ${timeoutMs / 1000} seconds` : reasonOf(error));
      }
    },
  };
}

/** One forbidden address refuses all. */
async function resolveTo(
  host: string,
  addresses: CallbackAddresses,
  resolve: Resolve,
): Promise<ResolvedAddress | string> {
  const found = isAddress(host) ? [{ address: host, family: host.includes(':') ? 6 : 4 }] : await resolve(host);
  const [first] = found;
  if (!first) return 'the name has no address';
  if (addresses === 'any' || found.every(({ address }) => isPublicAddress(address))) return first;
  return 'the name stands for an address that is not of the public internet';
}

const to =
  ({ address, family }: ResolvedAddress): LookupFunction =>
  (_host, options, callback) =>
    options.all ? callback(null, [{ address, family }]) : callback(null, address, family);

function post(url: URL, options: RequestOptions, body: string): Promise<CallbackAnswer> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request: ClientRequest = send(url, options, (response) => {
      const status = response.statusCode ?? 0;
      const note = status >= 300 && status < 400 ? ' (redirects are not followed)' : '';
      resolve({ status, said: `answered ${status}${note}` });
      response.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** The system's resolver accepts no signal. */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

const notCalled = (said: string): CallbackAnswer => ({ status: null, said: said.slice(0, MAX_SAID) });

/** Only the code, since the message names addresses. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? `no connection (${String(error.code)})` : 'no connection';
