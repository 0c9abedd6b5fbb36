/** Limits connections in all and per address. Idle ones without a key go first. */
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';

export interface ConnectionLimits {
  max: number;
  /** Per address or IPv6 /64; not for loopback and trusted proxies. */
  perAddress: number;
  trustedProxies: readonly string[];
}

export const DEFAULT_CONNECTIONS: ConnectionLimits = { max: 1000, perAddress: 200, trustedProxies: [] };

interface Connection {
  /** Undefined if unlimited. */
  origin: string | undefined;
  requests: number;
  hasKey: boolean;
}

export interface Connections {
  senderOf(socket: Socket, headers: IncomingHttpHeaders): string;
  hasShownKey(socket: Socket): void;
}

/** Closes connections beyond the limits without an answer. */
export function boundConnections(server: Server, limits: ConnectionLimits): Connections {
  const open = new Map<Socket, Connection>();
  const trusted = networksOf([...LOOPBACK, ...limits.trustedProxies]);
  server.on('connection', (socket: Socket) => {
    const origin = originOf(socket.remoteAddress ?? '', trusted);
    const same = origin === undefined ? 0 : countOf(open, origin);
    if (same >= limits.perAddress || (open.size >= limits.max && !makeRoom(open))) return void socket.destroy();
    open.set(socket, { origin, requests: 0, hasKey: false });
    socket.once('close', () => open.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(socket);
    if (!connection) return;
    connection.requests += 1;
    response.once('close', () => {
      connection.requests -= 1;
    });
  });
  return {
    senderOf(socket, headers) {
      const forwarded = headers['x-forwarded-for'];
      return senderOf(socket.remoteAddress ?? '', Array.isArray(forwarded) ? forwarded.join() : forwarded, trusted);
    },
    hasShownKey(socket) {
      const connection = open.get(socket);
      if (connection) connection.hasKey = true;
    },
  };
}

/** Closes the oldest idle connection, preferably without a key. Returns false if all are at work. */
function makeRoom(open: Map<Socket, Connection>): boolean {
  const socket = oldestIdle(open, 'without_key') ?? oldestIdle(open, 'with_key');
  if (!socket) return false;
  open.delete(socket);
  socket.destroy();
  return true;
}

// Runs for every connection, perhaps thousands a second.

function oldestIdle(open: ReadonlyMap<Socket, Connection>, which: 'with_key' | 'without_key'): Socket | undefined {
  const keyed = which === 'with_key';
  for (const [socket, { requests, hasKey }] of open) if (requests === 0 && hasKey === keyed) return socket;
  return undefined;
}

function countOf(open: ReadonlyMap<Socket, Connection>, origin: string): number {
  let count = 0;
  for (const other of open.values()) if (other.origin === origin) count += 1;
  return count;
}

const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Returns the connection's address or, behind trusted proxies, the last untrusted address of X-Forwarded-For. */
export function senderOf(address: string, forwarded: string | undefined, trusted: BlockList): string {
  const named = (forwarded ?? '').split(',').map((part) => plainAddress(part.trim()));
  const way = [...named.filter((part) => isIP(part) !== 0), plainAddress(address)];
  return way.findLast((part) => !isTrusted(part, trusted)) ?? way[0] ?? '';
}

const isTrusted = (address: string, trusted: BlockList): boolean =>
  isIP(address) === 0 || trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** Undefined if unlimited. */
function originOf(address: string, trusted: BlockList): string | undefined {
  const plain = plainAddress(address);
  if (isTrusted(plain, trusted)) return undefined;
  return isIPv6(plain) ? networkOf(plain) : plain;
}

const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** First 64 bits, one subscriber's network. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const start = head === '' ? [] : head.split(':');
  const end = tail === undefined || tail === '' ? [] : tail.split(':');
  const whole = [...start, ...Array(Math.max(0, 8 - start.length - end.length)).fill('0'), ...end];
  return whole.slice(0, 4).join(':');
}

/** Throws on invalid entries. */
export function networksOf(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = '', prefix] = text.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Reserved for database, uploads and jobs. */
const OWN_FILES = 96;
const MIN_CONNECTIONS = 16;

export function affordable(max: number, openFiles: number = openFilesLimit()): number {
  return Math.min(max, Math.max(MIN_CONNECTIONS, openFiles - OWN_FILES));
}

function openFilesLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
