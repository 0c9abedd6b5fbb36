/** Builds both Dockerfiles, on a stand-in where their base can neither be found nor pulled. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { docker, ROOT, run } from './docker.ts';

export const IMAGE = 'synthetic-tables-job:test';
export const SERVICE_IMAGE = 'synthetic-tables:test';

const NODE_VERSION = '24';

/** Throws where there is no Docker, naming what to do. */
export async function buildImages(): Promise<void> {
  const daemon = await run('docker', ['info', '--format', '{{.ServerVersion}}']).catch((error: unknown) => ({
    code: 1,
    output: '',
    errors: String(error),
  }));
  if (daemon.code !== 0 || daemon.output.trim() === '') {
    throw new Error(`These tests build and run a container. Start a Docker daemon first.\n${daemon.errors}`);
  }
  for (const [file, image] of Object.entries({ 'gpu-job/Dockerfile': IMAGE, 'server/Dockerfile': SERVICE_IMAGE })) {
    await provide(baseImage(file));
    // The host's network: the package registry may be reachable from there only.
    await docker('build', '--network', 'host', '-f', file, '-t', image, '.');
  }
}

/** The base that a Dockerfile names for the CPU. */
function baseImage(file: string): string {
  const [, image] = /^ARG (?:BASE|NODE)_IMAGE=(\S+)$/m.exec(readFileSync(join(ROOT, file), 'utf8')) ?? [];
  if (!image) throw new Error(`${file} names no base image.`);
  return image;
}

async function provide(image: string): Promise<void> {
  if ((await run('docker', ['image', 'inspect', image])).code === 0) return;
  if ((await run('docker', ['pull', '--quiet', image])).code === 0) return;
  const made = await run(join(import.meta.dirname, 'standInBase.sh'), [image, NODE_VERSION]);
  if (made.code !== 0) throw new Error(`${image} cannot be pulled, nor a stand-in be made.\n${made.errors}`);
}
