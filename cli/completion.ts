/** What a shell offers behind `synth`, as a script of that shell. */
import { OPTIONS, type OptionRow, type Shell } from './optionTable.ts';

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
