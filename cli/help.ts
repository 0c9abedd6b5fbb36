/** Help texts: the short one fits a screen. */

import { UPLOAD_ENDINGS, UPLOAD_SIZE } from '../packages/words/files.ts';
import { COMMANDS } from './commands.ts';
import { EXIT_MEANING } from './exitCodes.ts';
import { OPTIONS, type OptionRow, type Shell } from './optionTable.ts';

const rows: readonly OptionRow[] = OPTIONS;

const HEAD = `synth makes a synthetic copy of a table: invented rows that behave like the real ones.

Usage: synth TABLE [options]      TABLE is a CSV or Excel file, or - for standard input
       synth COMMAND …            see Commands`;

const START = `Start here:
  synth data.csv --inspect                       show what each column is
  synth data.csv --auto                          every column in its suggested role → synthetic_data.csv
  synth data.csv --auto -t price -n 5000 -s 7 -o copy.csv`;

const EXAMPLES = `More examples:
  synth data.csv -t price --continuous area,age --categorical city
                                                 only these columns
  synth - --auto < data.csv > copy.csv           read and write pipes
  synth data.csv --auto --json -o copy.csv       verdicts, figures and files as JSON
  synth data.csv --auto --conditions '[{"column": "age", "between": [18, null]}]'
                                                 only rows of adults
  synth data.csv --auto --url https://tables.example.org
                                                 use a service; its key is in SYNTHETIC_TABLES_KEY
  synth sample JOB --url https://tables.example.org -n 9000 -o more.csv
                                                 more rows from the model of a finished job`;

const TABLE = `TABLE ends in ${UPLOAD_ENDINGS}, and has at most ${UPLOAD_SIZE}.`;

const ROLES = `Roles: the target is one column of numbers or of a few categories, modelled by Bayesian regression on the others;
continuous columns are modelled by a vine copula, categorical columns jointly by classification trees, text by a
language model. A column without a role is left out. Separate several columns with commas; repeat the option for a
name with a comma in it.`;

const COMPLETION = `Completion: add one of these lines to the startup file of your shell.
  bash  source <(synth --completion bash)
  zsh   source <(synth --completion zsh)
  fish  synth --completion fish | source`;

const SAMPLE = `synth sample draws more rows from the model of a finished job of a service, without fitting anything again.

Usage: synth sample JOB --url URL [options]      JOB is the id that the first run printed
`;

const COMPARE = `synth compare judges a synthetic table that was made anywhere, by the figures, attacks and verdicts that this program
judges its own by.

Usage: synth compare REAL SYNTHETIC [SYNTHETIC] [options]      CSV or Excel files, columns by the same names

Without --holdout, copies of real rows are found, but no attack can be judged. Columns take their suggested roles,
unless options name some. Two synthetic tables are judged in turn and shown beside each other.
`;

export function help(topic: string | null): string {
  if (topic === 'all')
    return [HEAD, TABLE, START, EXAMPLES, ROLES, commands(), sections(() => true), codes(), COMPLETION].join('\n\n');
  if (topic === 'sample') return `${SAMPLE}\n${sections(({ sample }) => sample === true)}`;
  if (topic === 'compare') return `${COMPARE}\n${sections(({ compare }) => compare !== undefined)}`;
  const more =
    'All options, examples, exit codes and completion: synth --help all. Of a command: synth COMMAND --help.';
  return [HEAD, START, sections(({ common }) => common === true), commands(), more].join('\n\n');
}

function commands(): string {
  const lines = COMMANDS.map(({ name, takes, does }) => `  ${`${name} ${takes}`.padEnd(31)} ${does}`);
  return `Commands:\n${lines.join('\n')}`;
}

const codes = (): string =>
  `Exit codes:\n${EXIT_MEANING.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`).join('\n')}`;

function sections(isShown: (row: OptionRow) => boolean): string {
  const shown = rows.filter(isShown);
  const groups = [...new Set(shown.map(({ group }) => group))];
  const linesOf = (name: string) => shown.filter(({ group }) => group === name).map(optionLine);
  return groups.map((group) => `${group}:\n${linesOf(group).join('\n')}`).join('\n');
}

function optionLine({ name, short, value, help: said }: OptionRow): string {
  const flags = `${short === undefined ? '   ' : `-${short},`} --${name}${value === undefined ? '' : ` ${value}`}`;
  return `  ${flags.padEnd(25)} ${said}`;
}

const flagsOf = ({ name, short }: OptionRow): string[] => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];

export const completion = (shell: Shell): string => SCRIPTS[shell]();

const SCRIPTS: Record<Shell, () => string> = { bash, zsh, fish };

function bash(): string {
  const cases = rows
    .filter(({ value }) => value !== undefined)
    .map((row) => `    ${flagsOf(row).join('|')}) ${bashValues(row)}; return ;;`);
  return `_synth() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  case \${COMP_WORDS[COMP_CWORD-1]} in
${cases.join('\n')}
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "${rows.map(({ name }) => `--${name}`).join(' ')}" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _synth synth
`;
}

function bashValues({ complete }: OptionRow): string {
  if (complete === undefined) return ':';
  return complete === 'file'
    ? 'COMPREPLY=($(compgen -f -- "$word"))'
    : `COMPREPLY=($(compgen -W "${complete.join(' ')}" -- "$word"))`;
}

function zsh(): string {
  const specs = rows.map((row) => {
    const flags = flagsOf(row);
    const group =
      flags.length > 1 ? `'(${flags.join(' ')})'{${flags.join(',')}}` : `${row.many ? "'*'" : ''}${flags[0]}`;
    return `    ${group}${zshQuoted(`[${row.help.replace(/[[\]]/g, '')}]${zshValue(row)}`)}`;
  });
  return `#compdef synth
_synth() {
  _arguments -s \\
${specs.join(' \\\n')} \\
    '1:table:_files'
}
compdef _synth synth
`;
}

function zshValue({ value, complete }: OptionRow): string {
  if (value === undefined) return '';
  if (complete === undefined) return `:${value}: `;
  return complete === 'file' ? `:${value}:_files` : `:${value}:(${complete.join(' ')})`;
}

const zshQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function fish(): string {
  const lines = rows.map((row) => {
    const { name, short, value, complete, help } = row;
    const parts = ['complete -c synth', `-l ${name}`];
    if (short !== undefined) parts.push(`-s ${short}`);
    if (value !== undefined) parts.push('-r');
    if (value !== undefined && complete === undefined) parts.push('-f');
    if (Array.isArray(complete)) parts.push(`-f -a '${complete.join(' ')}'`);
    parts.push(`-d '${help.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`);
    return parts.join(' ');
  });
  return `${lines.join('\n')}\n`;
}
