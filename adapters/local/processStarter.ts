/** Forking a large server blocks it, so a small process starts others. */
import { type ChildProcess, fork } from 'node:child_process';
import { extname, join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { noticeSchema, type StarterNotice, type StarterOrder } from './starterMessages.ts';

const ENTRY = join(import.meta.dirname, `starterProcess${extname(import.meta.filename)}`);

export interface ProcessEnd {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  errorTail: string;
}

/** The starter ended, so the real end is unknown. */
const LOST: ProcessEnd = { exitCode: null, signal: 'SIGKILL', errorTail: '' };

interface Command {
  command: string;
  args: readonly string[];
  /** `parentPid` names the variable that holds the process to end with. */
  env: Readonly<Record<string, string>>;
  parentPid: string;
}

export interface StartedProcess {
  /** Undefined until started. */
  readonly pid: number | undefined;
  readonly output: Readable;
  readonly spawned: Promise<void>;
  /** Never resolves if not started. */
  readonly closed: Promise<ProcessEnd>;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

type Follow = (notice: StarterNotice | 'lost') => void;

interface Starter {
  child: ChildProcess;
  following: Map<number, Follow>;
}

export class ProcessStarter {
  #starter: Starter | undefined;
  #last = 0;

  start({ command, args, env, parentPid }: Command): StartedProcess {
    const { child, following } = this.#running();
    const id = ++this.#last;
    const order = (one: StarterOrder) => void child.send(one, () => undefined);
    const { started, follow } = followed((signal) => order({ kind: 'kill', id, signal }));
    following.set(id, follow);
    order({ kind: 'start', id, command, args: [...args], env: { ...env, [parentPid]: String(child.pid) } });
    return started;
  }

  /** Also ends what it started. */
  close(): void {
    if (this.#starter?.child.connected) this.#starter.child.disconnect();
  }

  #running(): Starter {
    if (this.#starter?.child.connected) return this.#starter;
    const following = new Map<number, Follow>();
    const child = fork(ENTRY, { execArgv: ['--disable-warning=ExperimentalWarning'], stdio: 'ignore' });
    const lose = () => {
      for (const follow of following.values()) follow('lost');
      following.clear();
    };
    child.on('error', lose).on('exit', lose);
    child.on('message', (message) => {
      const notice = noticeSchema.parse(message);
      following.get(notice.id)?.(notice);
      if (notice.kind === 'closed' || notice.kind === 'failed') following.delete(notice.id);
    });
    this.#starter = { child, following };
    return this.#starter;
  }
}

function followed(kill: StartedProcess['kill']): { started: StartedProcess; follow: Follow } {
  const output = new PassThrough({ encoding: 'utf8' });
  const [there, ended] = [pending<void>(), pending<ProcessEnd>()];
  there.promise.catch(() => undefined);
  let pid: number | undefined;
  const end = (how: ProcessEnd) => {
    output.end();
    ended.resolve(how);
  };
  const follow: Follow = (notice) => {
    if (notice === 'lost') {
      there.reject(new Error('the process that starts others has ended'));
      end(LOST);
    } else if (notice.kind === 'output') output.write(notice.text);
    else if (notice.kind === 'closed') end(notice);
    else if (notice.kind === 'failed') there.reject(new Error(notice.message));
    else {
      pid = notice.pid;
      there.resolve();
    }
  };
  const started = {
    get pid() {
      return pid;
    },
    output,
    spawned: there.promise,
    closed: ended.promise,
    kill,
  };
  return { started, follow };
}

/** `Promise.withResolvers` is missing in Node 20. */
function pending<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (why: Error) => void = () => undefined;
  const promise = new Promise<T>((fulfil, refuse) => {
    [resolve, reject] = [fulfil, refuse];
  });
  return { promise, resolve, reject };
}
