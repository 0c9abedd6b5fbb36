import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSender, type Resolve } from '../../../adapters/shared/webhookSender.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';

const HEADERS = { 'webhook-id': '1-1', 'content-type': 'application/json' };
const TO = '127.0.0.1';
const local = { address: TO, family: 4 };

/** A resolver that gives these answers in turn, and notes what it was asked. */
function resolving(...answers: { address: string; family: number }[][]): { resolve: Resolve; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async resolve(host) {
      asked.push(host);
      return answers[asked.length - 1] ?? [];
    },
  };
}

describe('createSender', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver(204);
  });
  afterEach(() => receiver.close());

  const open = (resolve?: Resolve) =>
    createSender({ addresses: 'any', userAgent: 'synthetic-tables/test', ...(resolve && { resolve }) });
  const closed = (resolve?: Resolve) =>
    createSender({ addresses: 'public', userAgent: 'synthetic-tables/test', ...(resolve && { resolve }) });

  it('posts the body as it is, with its headers, and says what was answered', async () => {
    const body = '{"a":"ü 🐧"}';
    expect(await open().send(receiver.url, HEADERS, body, 5000)).toEqual({ status: 204, said: 'answered 204' });
    expect(receiver.received).toEqual([
      {
        path: '/hook',
        body,
        headers: expect.objectContaining({
          ...HEADERS,
          'user-agent': 'synthetic-tables/test',
          'content-length': String(Buffer.byteLength(body)),
        }),
      },
    ]);
  });

  it.each([301, 302, 307, 308])('follows no redirect (%i)', async (status) => {
    receiver.answers = [status];
    const answer = await open().send(receiver.url, HEADERS, '{}', 5000);
    expect(answer).toEqual({ status, said: `answered ${status} (redirects are not followed)` });
    expect(receiver.received).toHaveLength(1);
  });

  it('says so where it is hung up on, where nobody listens, and where no answer comes in time', async () => {
    receiver.answers = [0];
    expect((await open().send(receiver.url, HEADERS, '{}', 5000)).said).toMatch(/^no connection \(E/);
    receiver.answers = [-1];
    expect(await open().send(receiver.url, HEADERS, '{}', 300)).toEqual({
      status: null,
      said: 'no answer within 0.3 seconds',
    });
    const silent: Resolve = () => new Promise(() => undefined);
    expect((await open(silent).send('http://a.example/', HEADERS, '{}', 300)).said).toContain('no answer within');
    await receiver.close();
    expect((await open().send(receiver.url, HEADERS, '{}', 5000)).said).toBe('no connection (ECONNREFUSED)');
  });

  it('connects to the address that was looked at, though the name should stand for another a moment later', async () => {
    const { resolve, asked } = resolving([local], [{ address: '192.0.2.1', family: 4 }]);
    const answer = await open(resolve).send(`http://receiver.example:${receiver.port}/`, HEADERS, '{}', 5000);
    expect([answer.status, asked]).toEqual([204, ['receiver.example']]);
    expect(receiver.received[0]?.headers.host).toBe(`receiver.example:${receiver.port}`);
  });

  it.each([
    ['loopback', [local]],
    ['a private one', [{ address: '10.0.0.7', family: 4 }]],
    ['the machine’s metadata', [{ address: '169.254.169.254', family: 4 }]],
    ['loopback in IPv6', [{ address: '::1', family: 6 }]],
    ['IPv4 within IPv6', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    ['a public one and a private one', [{ address: '8.8.8.8', family: 4 }, local]],
  ])('does not call a name that stands for %s', async (_title, addresses) => {
    const { resolve } = resolving(addresses);
    const answer = await closed(resolve).send(`https://rebound.example:${receiver.port}/`, HEADERS, '{}', 5000);
    expect(answer).toEqual({ status: null, said: expect.stringContaining('not of the public internet') });
    expect(receiver.received).toEqual([]);
  });

  it('does not call a private address written as such, nor by http, nor a name without an address', async () => {
    const { resolve, asked } = resolving([]);
    for (const host of [`${TO}:${receiver.port}`, '[::1]', '169.254.169.254', '0.0.0.0']) {
      expect((await closed(resolve).send(`https://${host}/`, HEADERS, '{}', 5000)).said).toContain('public internet');
    }
    expect(asked).toEqual([]);
    expect((await closed(resolve).send(receiver.url, HEADERS, '{}', 5000)).said).toBe('only https is called');
    expect((await closed(resolve).send('https://nobody.example/', HEADERS, '{}', 5000)).said).toContain('no address');
    expect(receiver.received).toEqual([]);
  });
});
