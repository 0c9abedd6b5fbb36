/**
 * The process that starts those of jobs: a fork copies the page tables of whoever forks, which takes a server of 700 MB some 30 ms in
 * which it answers nobody, and this one 3 ms. It ends with the server, whose channel then closes; its jobs end with it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { TextTail } from '../shared/childLog.ts';
import { lowerProcess, STARTING_NICENESS } from '../shared/priority.ts';
import { orderSchema, type StarterNotice, type StarterOrder } from './starterMessages.ts';

const children = new Map<number, ChildProcess>();

const tell = (notice: StarterNotice): void => {
  // A server that has gone wants to know nothing.
  process.send?.(notice, undefined, undefined, () => undefined);
};

function start({ id, command, args, env }: Extract<StarterOrder, { kind: 'start' }>): void {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.set(id, child);
  const errors = new TextTail(child.stderr);
  child.stdout.setEncoding('utf8').on('data', (text: string) => tell({ kind: 'output', id, text }));
  let hasStarted = false;
  child.once('spawn', () => {
    hasStarted = true;
    tell({ kind: 'started', id, pid: child.pid ?? 0 });
  });
  child.on('error', ({ message }) => {
    if (hasStarted) return;
    children.delete(id);
    tell({ kind: 'failed', id, message });
  });
  child.once('close', (exitCode, signal) => {
    children.delete(id);
    if (hasStarted) tell({ kind: 'closed', id, exitCode, signal, errorTail: errors.text() });
  });
}

// What it starts stands back from its first instruction on: to load a job's code takes a third of a second of a core.
try {
  lowerProcess(STARTING_NICENESS);
} catch {
  // The system refuses, or the server stands back further itself.
}

// A terminal, or a supervisor, signals all processes at once: the server decides what becomes of its jobs.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  const order = orderSchema.parse(message);
  if (order.kind === 'start') start(order);
  else children.get(order.id)?.kill(order.signal);
});
