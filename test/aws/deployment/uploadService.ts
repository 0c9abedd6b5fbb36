/** The upload service as its task definition describes it: the real server, with that environment, as a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { resolve } from '../batch/deployedBatch.ts';
import { freePort } from '../localstack/freePort.ts';
import { root } from './command.ts';
import type { Deployed } from './deploy.ts';

const START_MS = 30_000;

const taskSchema = z.object({
  ContainerDefinitions: z.array(
    z.object({
      Command: z.array(z.string()).default([]),
      Environment: z.array(z.object({ Name: z.string(), Value: z.string() })).default([]),
    }),
  ),
});

/** The container of the one task definition. */
function containerOf({ template, references }: Deployed) {
  const task = Object.values(template.Resources).find(({ Type }) => Type === 'AWS::ECS::TaskDefinition');
  const container = taskSchema.parse(resolve(task?.Properties, references)).ContainerDefinitions[0];
  if (!container) throw new Error('The template has no task definition of an upload service.');
  return container;
}

/** A checkout runs the sources of what the image has compiled. */
const sourceOf = (argument: string): string => argument.replace(/^dist\/(.*)\.js$/, '$1.ts');

export async function startUploadService(
  deployed: Deployed,
  roleEnvironment: Record<string, string>,
): Promise<{ url: string; output(): string; stop(): Promise<void> }> {
  const { Command, Environment } = containerOf(deployed);
  const { NODE_COMPILE_CACHE } = process.env;
  const port = await freePort();
  const own = Object.fromEntries(Environment.map(({ Name, Value }) => [Name, Value]));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...Command.map(sourceOf)], {
    cwd: root,
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      NODE_COMPILE_CACHE,
      ...roleEnvironment,
      ...own,
      HOST: '127.0.0.1',
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-50_000);
    });
  const url = `http://127.0.0.1:${port}`;
  await waitFor(child, url, () => printed);
  return { url, output: () => printed, stop: () => stop(child) };
}

async function waitFor(child: ChildProcess, url: string, printed: () => string): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    if (await fetch(url).catch(() => undefined)) return;
    await sleep(100);
  }
  child.kill('SIGKILL');
  throw new Error(`The upload service did not start.\n${printed()}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolved) => child.once('close', resolved));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(timer);
}
