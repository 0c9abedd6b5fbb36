/** The service of the installed package, started by its command. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Project } from './installed.ts';

export const COMMAND = 'node_modules/synthetic-tables/cli/synth.mjs';

export interface Service {
  url: string;
  key: string;
  /** Lines on standard error that are no objects of its log: a warning of Node is one. */
  warnings(): string[];
  stop(): void;
}

/** On a free port; resolves when it listens. */
export async function serve(project: Project): Promise<Service> {
  const env = { ...project.environment, PORT: '0', DATA_DIR: join(project.folder, 'data') };
  const child = spawn(project.node, [join(project.folder, COMMAND), 'serve'], { cwd: project.folder, env });
  const said = { out: '', errors: '' };
  child.stderr.on('data', (chunk) => {
    said.errors += chunk;
  });
  for await (const chunk of child.stdout) {
    said.out += chunk;
    const [, url, key] = /Listening on (\S+)\nAPI key \(shown once\): (\S+)\n/.exec(said.out) ?? [];
    const warnings = () => said.errors.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    if (url && key) return { url, key, warnings, stop: () => child.kill() };
  }
  throw new Error(`the service did not start: ${said.errors}`);
}
