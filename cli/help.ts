/** `synth --help`. */
import { UPLOAD_ENDINGS, UPLOAD_SIZE } from '../packages/words/files.ts';
import { EXIT_MEANING } from './exitCodes.ts';
import { OPTIONS, type OptionRow, type Shell } from './optionTable.ts';

const HEAD = `synth makes a synthetic copy of a table: invented rows that behave like the real ones.

Usage: synth TABLE [options]
       synth sample JOB --url URL [-n N] [-s N] [-o FILE]
       synth serve               run the service on this machine
       synth keys …              manage the API keys of the service
       synth backup FOLDER       copy the data folder of the service, while it runs
       synth verify RECEIPT FILE --key KEY
                                 check a receipt and its file
       synth text-base [FOLDER]  download the base language model for text columns

TABLE is a CSV or Excel file (${UPLOAD_ENDINGS}; at most ${UPLOAD_SIZE}), or - for standard input.

Start here:
  synth data.csv --inspect                          show what each column is
  synth data.csv --auto                             every column in its suggested role → synthetic_data.csv
  synth data.csv --auto -t price -o copy.csv -n 5000 -s 7
                                                    target price, 5,000 rows, the same ones every time
  synth data.csv -t price --continuous area,age --categorical city
                                                    only these columns
  synth - --auto < data.csv > copy.csv              read and write pipes
  synth data.csv --auto --json -o copy.csv          print metrics as JSON
  synth data.csv --auto --url https://tables.example.org
                                                    use a service; its key is in SYNTHETIC_TABLES_KEY
  synth sample JOB --url https://tables.example.org -n 9000 -o more.csv
                                                    more rows from the model of a finished job

Roles: the target is one numeric column, modelled by Bayesian regression on the others; continuous columns are
modelled by a vine copula, categorical columns jointly by classification trees, text by a language model. A column
without a role is left out. Separate several columns with commas; repeat the option for a name with a comma in it.`;

export function help(): string {
  const rows: readonly OptionRow[] = OPTIONS;
  const groups = [...new Set(rows.map(({ group }) => group))];
  const linesOf = (name: string) => rows.filter(({ group }) => group === name).map(optionLine);
  const sections = groups.map((group) => `${group}:\n${linesOf(group).join('\n')}`);
  const codes = EXIT_MEANING.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`).join('\n');
  const completion = `Completion: add one of these lines to the startup file of your shell.
  bash  source <(synth --completion bash)
  zsh   source <(synth --completion zsh)
  fish  synth --completion fish | source`;
  return [HEAD, ...sections, `Exit codes:\n${codes}`, completion].join('\n\n');
}

function optionLine({ name, short, value, help: said }: OptionRow): string {
  const flags = `${short === undefined ? '   ' : `-${short},`} --${name}${value === undefined ? '' : ` ${value}`}`;
  return `  ${flags.padEnd(26)}${said}`;
}

// What a shell offers behind `synth`, as a script of that shell.

const rows: readonly OptionRow[] = OPTIONS;
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
