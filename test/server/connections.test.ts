import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import { connect, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { affordable, boundConnections, type Connections, networksOf, senderOf } from '../../server/connections.ts';
import { until } from '../ports/made.ts';

const MAX = 4;
let server: Server;
let connections: Connections;
let sockets: Socket[] = [];
let requests = 0;

async function serve(limits: { max: number; perAddress: number }): Promise<number> {
  sockets = [];
  requests = 0;
  server = createServer((incoming, outgoing) => {
    requests += 1;
    if (incoming.headers['x-api-key']) connections.hasShownKey(incoming.socket);
    if (incoming.url !== '/wait') outgoing.end('here');
  });
  connections = boundConnections(server, { ...limits, trustedProxies: ['192.0.2.0/24'] });
  server.listen(0, '::');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** A connection that has sent so much. */
async function open(port: number, text = ''): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}

const request = (path: string, ...headers: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`;

/** Resolves with the first bytes of the answer, or with '' where the connection is closed before. */
const answerOf = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    socket.once('data', (bytes) => resolve(String(bytes)));
    socket.once('close', () => resolve(''));
  });

const isOpen = async (socket: Socket): Promise<boolean> => !socket.destroyed && socket.readyState === 'open';
const statusOf = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    }).on('error', reject);
  });

describe('connections beyond the limit', () => {
  it('take the place of the oldest that is idle and has shown no key', async () => {
    const port = await serve({ max: MAX, perAddress: MAX });
    const keyed = await open(port, request('/', 'X-API-Key: k'));
    await answerOf(keyed);
    const working = await open(port, request('/wait'));
    await until('both to be seen', async () => requests === 2);
    const silent = [await open(port), await open(port)];
    for (let i = 0; i < 3 * MAX; i++) expect(await statusOf(port)).toBe(200);
    await until('the silent ones to be closed', async () => !(await isOpen(silent[0]!)));
    expect(await isOpen(keyed)).toBe(true);
    expect(await isOpen(working)).toBe(true);
  });

  it('are closed where all others are at work', async () => {
    const port = await serve({ max: MAX, perAddress: MAX });
    const working = [];
    for (let i = 0; i < MAX; i++) working.push(await open(port, request('/wait')));
    await until('all to be at work', async () => requests === MAX);
    expect(await answerOf(await open(port, request('/')))).toBe('');
    expect(await Promise.all(working.map(isOpen))).toEqual(working.map(() => true));
  });

  it('of one address are closed, unless it is loopback or a trusted proxy', async () => {
    const port = await serve({ max: 100, perAddress: 1 });
    const from = (address: string) => {
      const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
      sockets.push(socket);
      server.emit('connection', socket);
      return socket.destroyed;
    };
    expect([from('198.51.100.7'), from('::ffff:198.51.100.7'), from('198.51.100.8')]).toEqual([false, true, false]);
    expect([from('2001:db8::1'), from('2001:db8:0:0:9::2'), from('2001:db8:0:1::1')]).toEqual([false, true, false]);
    expect([from('192.0.2.1'), from('192.0.2.1')]).toEqual([false, false]);
    await open(port);
    expect(await statusOf(port)).toBe(200);
  });
});

describe('affordable', () => {
  it('leaves files for the work of the service itself', () => {
    expect(affordable(1000, Number.POSITIVE_INFINITY)).toBe(1000);
    expect(affordable(1000, 1024)).toBe(928);
    expect(affordable(1000, 150)).toBe(54);
    expect(affordable(1000, 20)).toBe(16);
    expect(affordable(1000)).toBeGreaterThanOrEqual(16);
  });
});

describe('senderOf', () => {
  const trusted = networksOf(['127.0.0.0/8', '::1', '192.0.2.0/24']);

  it.each([
    ['198.51.100.7', undefined, '198.51.100.7'],
    ['198.51.100.7', '203.0.113.1', '198.51.100.7'],
    ['::ffff:127.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['192.0.2.1', '10.9.9.9, 203.0.113.1, 192.0.2.9', '203.0.113.1'],
    ['127.0.0.1', 'made up, 203.0.113.1 ', '203.0.113.1'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['', undefined, ''],
  ])('of %j with %j forwarded is %j', (address, forwarded, sender) => {
    expect(senderOf(address, forwarded, trusted)).toBe(sender);
  });
});

describe('networksOf', () => {
  it('takes addresses and networks, and nothing else', () => {
    expect(networksOf(['10.0.0.0/8', '2001:db8::/32']).check('10.1.2.3')).toBe(true);
    for (const wrong of ['proxy', '10.0.0.0/40', '']) expect(() => networksOf([wrong])).toThrow();
  });
});
