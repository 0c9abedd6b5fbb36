/** The operator's key command, as a person would run it. */
import { join } from 'node:path';
import { root } from './imports.ts';
import { runHere } from './runHere.ts';

export async function runKeys(dataDir: string, ...words: string[]): Promise<{ code: number; output: string }> {
  const surroundings = { cwd: root, env: { DATA_DIR: dataDir } };
  const { code, out, err } = await runHere(join(root, 'server', 'keys.ts'), words, surroundings);
  return { code, output: out + err };
}
