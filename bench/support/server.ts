/** The real server as a child process on a free port, with a data folder of its own that goes when it stops. */
import { mkdtempSync, openAsBlob, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { SyntheticTables } from '../../packages/client/client.ts';
import { startService } from '../../scripts/demo/startService.ts';
import { cacheFolder } from './cacheFolder.ts';

export interface BenchServer {
  pid: number;
  url: string;
  key: string;
  client: SyntheticTables;
  /** Ends the server by its pid and removes its data. */
  stop(): Promise<void>;
}

export async function startServer(): Promise<BenchServer> {
  const folder = mkdtempSync(join(cacheFolder(), 'server-'));
  const { pid, url, key, stop } = await startService(join(folder, 'data'), join(folder, 'server.log'));
  const stopAndRemove = async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { pid, url, key, client: new SyntheticTables({ url, key }), stop: stopAndRemove };
}

const uploadedSchema = z.object({ data: z.object({ job_id: z.string(), n_rows: z.number() }) });

export interface Uploaded {
  jobId: string;
  rows: number;
  /** From the first byte sent to the whole answer. */
  seconds: number;
}

/** Sends a file from the disk, a piece at a time. */
export async function uploadFile(server: BenchServer, path: string): Promise<Uploaded> {
  const body = new FormData();
  body.set('file', await openAsBlob(path), basename(path));
  const start = performance.now();
  const reply = await fetch(`${server.url}/upload`, { method: 'POST', body, headers: { 'X-API-Key': server.key } });
  const text = await reply.text();
  const seconds = (performance.now() - start) / 1000;
  if (!reply.ok) throw new Error(`POST /upload answered ${reply.status}: ${text.slice(0, 500)}`);
  const { data } = uploadedSchema.parse(JSON.parse(text));
  return { jobId: data.job_id, rows: data.n_rows, seconds };
}

/** Most memory that a process has had resident, in MB; undefined where the system does not say. */
export function peakMegabytes(pid: number): number | undefined {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readProcess(pid, 'status'))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

/** Bytes that a process has read by system calls so far; undefined where the system does not say. */
export function bytesRead(pid: number): number | undefined {
  const bytes = /^rchar: (\d+)$/m.exec(readProcess(pid, 'io'))?.[1];
  return bytes === undefined ? undefined : Number(bytes);
}

/** What a process's first thread has done so far, in ms: run, and waited for a core; undefined where the system does not say. */
export function firstThread(pid: number): { ranMs: number; waitedMs: number } | undefined {
  const [ran, waited] = readProcess(pid, `task/${pid}/schedstat`).split(' ');
  if (!ran || !waited) return undefined;
  return { ranMs: Number(ran) / 1e6, waitedMs: Number(waited) / 1e6 };
}

function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
