/** Calls of a server at a steady rate, whether or not the ones before were answered. */
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchServer } from './server.ts';

const INTERVAL_MS = 10;

/** GETs `path` every 10 ms until the work is done; milliseconds from sending to the last byte of each answer. */
export async function callDuring(server: BenchServer, path: string, work: Promise<unknown>): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const calls: Promise<number>[] = [];
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  const start = performance.now();
  while (!isDone) {
    calls.push(call(agent, server, path));
    await sleep(Math.max(0, start + calls.length * INTERVAL_MS - performance.now()));
  }
  const latencies = await Promise.all(calls);
  agent.destroy();
  await ended;
  return latencies;
}

/** Milliseconds from sending to the last byte of the answer. */
export function call(agent: Agent, server: BenchServer, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    get(server.url + path, { agent, headers: { 'X-API-Key': server.key } }, (reply) => {
      if (reply.statusCode !== 200) reject(new Error(`GET ${path} answered ${reply.statusCode}`));
      reply.resume().on('end', () => resolve(performance.now() - start));
    }).on('error', reject);
  });
}
