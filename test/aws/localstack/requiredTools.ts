/** The programs that the emulator needs from the machine, or a message that names each one that is missing. */
import { spawnSync } from 'node:child_process';

export interface RequiredTools {
  python: string;
  maven: string;
  /** The folder of a Java runtime of 17 or newer. */
  javaHome: string;
}

const PYTHONS = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
const PYTHON_CHECK = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))';

function output(command: string, args: string[]): string | undefined {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? `${stdout}${stderr}` : undefined;
}

const findPython = () => PYTHONS.find((name) => output(name, ['-c', PYTHON_CHECK]) !== undefined);

function findJava(): string | undefined {
  const settings = output('java', ['-XshowSettings:properties', '-version']) ?? '';
  const home = settings.match(/java\.home = (.+)/)?.[1]?.trim();
  const version = Number(settings.match(/java\.specification\.version = ([\d.]+)/)?.[1] ?? 0);
  return version >= 17 ? home : undefined;
}

export function requiredTools(): RequiredTools {
  const python = findPython();
  const maven = output('mvn', ['-version']) === undefined ? undefined : 'mvn';
  const javaHome = findJava();
  if (python && maven && javaHome) return { python, maven, javaHome };
  const missing = [
    python ? [] : ['  - python3, 3.10 or newer, with its venv module (Debian: python3-venv)'],
    maven ? [] : ['  - mvn, Apache Maven (Debian: maven)'],
    javaHome ? [] : ['  - java, a Java runtime of 17 or newer (Debian: default-jre-headless)'],
  ].flat();
  throw new Error(
    `The AWS tests run against an emulator on this machine, which needs programs that were not found:\n${missing.join('\n')}\n` +
      'Install them and run the command again, or set AWS_ENDPOINT_URL to an emulator or account of your own.',
  );
}
