/** Runs a command to its end; what it printed is shown only where it failed. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..', '..');
export const bin = (name: string): string => join(root, 'node_modules', '.bin', name);

export function command(file: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    // The project's Node comes first, as in every npm script.
    const path = `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`;
    const child = spawn(file, args, {
      cwd: root,
      env: { ...environment, PATH: path },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(printed);
      else
        reject(
          new Error(`${[file.split('/').at(-1), ...args].join(' ')} ended with ${code}.\n${printed.slice(-6000)}`),
        );
    });
  });
}
