/** The Docker command line. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export const ROOT = join(import.meta.dirname, '..', '..', '..');

export interface Result {
  code: number | null;
  output: string;
  errors: string;
}

/** Runs a program to its end. Never rejects for an exit code. */
export async function run(program: string, args: readonly string[]): Promise<Result> {
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const [code, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, output, errors };
}

/** What `docker` printed. Throws with its complaint where it failed. */
export async function docker(...args: string[]): Promise<string> {
  const { code, output, errors } = await run('docker', args);
  if (code !== 0) throw new Error(`docker ${args[0]} failed with ${code}:\n${`${output}${errors}`.slice(-4000)}`);
  return output.trim();
}
