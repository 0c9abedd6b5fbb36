import { execFile } from 'node:child_process';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LiveServer, startServer } from '../support/liveServer.ts';

/** Of the protocol's own suite, what asks for no tool of the suite's own: those are for reference servers. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-error',
  'resources-list',
  'dns-rebinding-protection',
];
const SUITE = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'conformance');
const run = promisify(execFile);

let server: LiveServer;
let url = '';

/** The suite sends no key: this stands between and adds one to what passes through. */
const withKey = createServer((incoming, outgoing) => {
  const { hostname, port } = new URL(server.url);
  const headers = { ...incoming.headers, 'x-api-key': server.key };
  const passed = send({ hostname, port, path: incoming.url, method: incoming.method, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(outgoing);
  });
  incoming.pipe(passed);
});

beforeAll(async () => {
  server = await startServer();
  await new Promise<void>((resolve) => void withKey.listen(0, '127.0.0.1', resolve));
  url = `http://localhost:${(withKey.address() as AddressInfo).port}/mcp`;
});

afterAll(async () => {
  withKey.closeAllConnections();
  withKey.close();
  await server.stop();
});

describe("the protocol's conformance suite", () => {
  it.each(SCENARIOS)('passes %s', async (scenario) => {
    const { stdout } = await run(process.execPath, [SUITE, 'server', '--url', url, '--scenario', scenario]);
    expect(stdout).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/);
  });
});
