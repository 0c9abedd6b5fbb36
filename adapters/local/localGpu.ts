/** The NVIDIA GPU of this machine: what its driver shows in the file system, and whether the engine starts on it. */
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Gpu } from '../../service/ports.ts';

const DRIVER_FOLDER = '/proc/driver/nvidia/gpus';
const NONE: Gpu = { available: false, name: null };
const PROBE = join(import.meta.dirname, `gpuProbe${extname(import.meta.filename)}`);
const PROBE_MS = 60_000;

/** What the driver shows; no process is started to ask. */
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

/** A machine seldom gets another driver while it runs; files are read by threads that other requests may keep waiting. */
const LOOK_AGAIN_MS = 60_000;

/** As `localGpu`, where CUDA has started as well; it is tried once, where there is a driver, which is looked for once a minute at most. */
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

/** In a process of its own, whose end, however it comes, ends nothing else. Never rejects. */
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
