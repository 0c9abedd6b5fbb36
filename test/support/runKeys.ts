/** The operator's key command, as a person would run it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { root } from './imports.ts';

export const runKeys = (dataDir: string, ...words: string[]): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    const args = ['--disable-warning=ExperimentalWarning', join(root, 'server', 'keys.ts'), ...words];
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: dataDir };
    execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr }),
    );
  });
