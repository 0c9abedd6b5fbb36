/** The NVIDIA GPU of this machine, as its driver shows it in the file system; no process is started to ask. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Gpu } from '../../service/ports.ts';

const DRIVER_FOLDER = '/proc/driver/nvidia/gpus';

export async function localGpu(folder: string = DRIVER_FOLDER): Promise<Gpu> {
  try {
    const [first] = (await readdir(folder)).sort();
    if (first === undefined) return { available: false, name: null };
    const text = await readFile(join(folder, first, 'information'), 'utf8');
    return { available: true, name: /^Model:\s*(.+?)\s*$/m.exec(text)?.[1] ?? null };
  } catch {
    return { available: false, name: null };
  }
}
