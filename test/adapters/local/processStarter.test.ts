/** Processes that another one starts: what they print, how they end, whom they are to end with. */
import { getPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { ProcessStarter } from '../../../adapters/local/processStarter.ts';
import { STARTING_NICENESS } from '../../../adapters/shared/priority.ts';

const starter = new ProcessStarter();
afterEach(() => starter.close());

const start = (command: string, ...args: string[]) =>
  starter.start({ command, args, env: { GIVEN: 'é' }, parentPid: 'PARENT' });

it('passes on what a process prints, the end of what it complains of, and how it ended', async () => {
  const script =
    'console.log(process.env.GIVEN, Object.keys(process.env).length, process.ppid === Number(process.env.PARENT));';
  const started = start(process.execPath, '-e', `${script} console.error('no'); process.exitCode = 3;`);
  await started.spawned;
  expect(started.pid).toBeGreaterThan(0);
  expect(await text(started.output)).toBe('é 2 true\n');
  expect(await started.closed).toMatchObject({ exitCode: 3, signal: null, errorTail: 'no\n' });
});

it.runIf(process.platform === 'linux')('starts processes behind the one that asks for them', async () => {
  const started = start(process.execPath, '-p', 'os.getPriority()');
  expect(Number(await text(started.output))).toBe(Math.max(getPriority(), STARTING_NICENESS));
});

it('says so where the system starts none, and goes on', async () => {
  await expect(start('/no/such/program').spawned).rejects.toThrow('ENOENT');
  const next = start(process.execPath, '-e', '');
  expect(await next.closed).toMatchObject({ exitCode: 0 });
});

it('ends a process that is killed as soon as it was asked for', async () => {
  const started = start(process.execPath, '-e', 'setInterval(() => {}, 1000)');
  started.kill('SIGKILL');
  expect(await started.closed).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
});
