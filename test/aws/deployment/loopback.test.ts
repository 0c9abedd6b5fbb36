/** Nothing of the tests can be reached from another machine. */
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, inject, it } from 'vitest';

const addresses = Object.values(networkInterfaces())
  .flat()
  .flatMap((each) => (each && !each.internal && each.family === 'IPv4' ? [each.address] : []));

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2000 });
    const end = ({ isOpen }: { isOpen: boolean }) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.on('connect', () => end({ isOpen: true }));
    socket.on('error', () => end({ isOpen: false }));
    socket.on('timeout', () => end({ isOpen: false }));
  });
}

const deployment = inject('deployment');

describe.runIf(deployment !== null)('the emulator and its stand-ins', () => {
  it('listen on the loopback address alone', async () => {
    const { endpoint = '', baseUrl = '', batchUrl = '', recordsProxyUrl = '' } = deployment ?? {};
    for (const url of [endpoint, baseUrl, batchUrl, recordsProxyUrl]) {
      const port = Number(new URL(url).port);
      expect(await isOpen('127.0.0.1', port), url).toBe(true);
      for (const address of addresses) expect(await isOpen(address, port), `${address}:${port}`).toBe(false);
    }
  });
});
