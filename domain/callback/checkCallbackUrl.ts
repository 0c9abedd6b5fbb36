import { ServiceError } from '../errors.ts';
import { type CallbackAddresses, MOST_URL_CHARACTERS } from './callback.ts';
import { isAddress, isPublicAddress } from './publicAddress.ts';

/**
 * What can be said of a `callback_url` without asking anybody; what its name stands for is looked at before each call.
 * Throws `invalid_parameter`.
 */
export function checkCallbackUrl(text: string, addresses: CallbackAddresses): string {
  if (text.length > MOST_URL_CHARACTERS) throw refusal(`must have at most ${MOST_URL_CHARACTERS} characters`);
  if (!URL.canParse(text)) throw refusal('must be an address such as https://example.org/hooks/tables');
  const url = new URL(text);
  const isAny = addresses === 'any';
  if (url.protocol !== 'https:' && !(isAny && url.protocol === 'http:')) throw refusal('must begin with https://');
  if (url.username !== '' || url.password !== '') {
    throw refusal('must hold no user name and no password: calls are signed, see GET /callback-secret');
  }
  if (!isAny && !mayBePublic(hostOf(url))) {
    throw refusal('must be an address of the public internet, not of a private network or of this machine');
  }
  url.hash = '';
  return url.href;
}

/** A host as DNS and sockets take it: an IPv6 address without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** Names without a dot, and some endings, are those of a network's own machines. */
const mayBePublic = (host: string): boolean =>
  isAddress(host) ? isPublicAddress(host) : /\.[^.]+\.?$/.test(host) && !/\.(localhost|local|internal)\.?$/i.test(host);

const refusal = (rule: string): ServiceError => new ServiceError('invalid_parameter', `callback_url ${rule}.`);
