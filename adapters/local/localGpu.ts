import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Gpu } from '../../service/ports.ts';

const DRIVER_FOLDER = '/proc/driver/nvidia/gpus';
const NONE: Gpu = { available: false, name: null };
const PROBE = join(import.meta.dirname, `gpuProbe${extname(import.meta.filename)}`);
const PROBE_MS = 60_000;

export async function localGpu(folder: string = DRIVER_FOLDER): Promise<Gpu> {
  try {
    const [first] = (await readdir(folder)).sort();
    if (first === undefined) return NONE;
    const text = await readFile(join(folder, first, 'information'), 'utf8');
    return { available: true, name: /^Model:\s*(.+?)\s*$/m.exec(text)?.[1] ?? null };
  } catch {
    return NONE;
  }
}

/** Drivers rarely change; file reads may wait behind other requests. */
const LOOK_AGAIN_MS = 60_000;

/** Also requires that CUDA starts, which is tried once. */
export function createStartedGpu(
  folder?: string,
  starts: () => Promise<boolean> = cudaStarts,
  lookAgainMs = LOOK_AGAIN_MS,
): () => Promise<Gpu> {
  let tried: Promise<boolean> | undefined;
  let looked: { at: number; found: Promise<Gpu> } | undefined;
  return async () => {
    const now = performance.now();
    if (!looked || now - looked.at >= lookAgainMs) looked = { at: now, found: localGpu(folder) };
    const found = await looked.found;
    if (!found.available) return NONE;
    tried ??= starts();
    return (await tried) ? found : NONE;
  };
}

/** In its own process, so that a crash harms nothing. */
function cudaStarts(): Promise<boolean> {
  const probe = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROBE], {
    stdio: 'ignore',
    timeout: PROBE_MS,
  });
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.once('exit', (code) => resolve(code === 0));
  });
}
