/** Installs the emulator into the user's cache, once for each set of pinned versions: LocalStack and DynamoDB Local. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type RequiredTools, requiredTools } from './requiredTools.ts';
import { withLock } from './withLock.ts';

export interface Installation {
  /** The Python that has LocalStack. */
  python: string;
  /** What LocalStack expects as its `lib` folder: DynamoDB Local and a Java runtime. */
  libraries: string;
}

const here = import.meta.dirname;
const PINNED = [
  'requirements.txt',
  'constraints.txt',
  'pom.xml',
  'manifest_jar.py',
  'LoopbackServer.java',
  'installEmulator.ts',
];

function cacheFolder(): string {
  const pins = PINNED.map((name) => readFileSync(join(here, name)));
  const hash = createHash('sha256').update(Buffer.concat(pins)).digest('hex').slice(0, 12);
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(base, 'synthetic-tables', `emulator-${hash}`);
}

function run(what: string, command: string, args: string[]): SpawnSyncReturns<string> {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (result.status === 0) return result;
  const said = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`
    .trim()
    .split('\n')
    .slice(-12);
  throw new Error(`The emulator cannot be installed: ${what} failed.\n${said.join('\n')}`);
}

function installPython(folder: string, tools: RequiredTools): void {
  run('making a Python environment', tools.python, ['-m', 'venv', join(folder, 'venv')]);
  const files = ['-r', join(here, 'requirements.txt'), '-c', join(here, 'constraints.txt')];
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input'];
  run('installing LocalStack (pip)', join(folder, 'venv', 'bin', 'python'), [
    '-m',
    'pip',
    'install',
    ...quiet,
    ...files,
  ]);
}

/** Lays DynamoDB Local and a Java out as LocalStack's own installers would: it then downloads neither. */
function installDynamo(folder: string, tools: RequiredTools): void {
  const dynamo = join(folder, 'lib', 'dynamodb-local', '2');
  const jars = join(dynamo, 'DynamoDBLocal_lib');
  mkdirSync(jars, { recursive: true });
  mkdirSync(join(folder, 'lib', 'java'), { recursive: true });
  const copy = ['-q', '-B', '-f', join(here, 'pom.xml'), 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`];
  run('fetching DynamoDB Local (mvn)', tools.maven, copy);
  const agent = readdirSync(jars).find((name) => name.startsWith('byte-buddy-agent'));
  if (!agent) throw new Error('The emulator cannot be installed: Maven left no byte-buddy-agent.');
  renameSync(join(jars, agent), join(dynamo, 'ddb-local-loader-0.1.jar'));
  const compiler = readdirSync(jars).find((name) => name.startsWith('ecj-'));
  if (!compiler) throw new Error('The emulator cannot be installed: Maven left no ecj.');
  const classPath = readdirSync(jars).map((name) => join(jars, name));
  const source = ['-17', '-nowarn', '-cp', classPath.join(':'), '-d', jars, join(here, 'LoopbackServer.java')];
  run('compiling LoopbackServer.java', join(tools.javaHome, 'bin', 'java'), ['-jar', join(jars, compiler), ...source]);
  const jar = [join(here, 'manifest_jar.py'), join(dynamo, 'DynamoDBLocal.jar'), 'LoopbackServer', jars];
  run('laying out DynamoDB Local', tools.python, jar);
  symlinkSync(tools.javaHome, join(folder, 'lib', 'java', '21'));
}

/** Idempotent; a second process waits for the first. Takes a minute or two and 600 MB the first time. */
export async function installEmulator(): Promise<Installation> {
  const folder = cacheFolder();
  const ready = join(folder, 'ready');
  const installation = { python: join(folder, 'venv', 'bin', 'python'), libraries: join(folder, 'lib') };
  if (existsSync(ready)) return installation;
  const tools = requiredTools();
  mkdirSync(join(folder, '..'), { recursive: true });
  await withLock(`${folder}.lock`, () => {
    if (existsSync(ready)) return;
    console.error(`Installing the emulator into ${folder} (once) …`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    installPython(folder, tools);
    installDynamo(folder, tools);
    writeFileSync(ready, '');
  });
  return installation;
}
