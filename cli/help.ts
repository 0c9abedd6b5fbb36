/** `synth --help`. */
import { EXIT_MEANING } from './exitCodes.ts';
import { OPTIONS, type OptionRow } from './optionTable.ts';

const HEAD = `synth makes a synthetic copy of a table: invented rows that behave like the real ones.

usage: synth TABLE [options]
       synth sample JOB --url URL [-n N] [-s N] [-o FILE]

TABLE is a CSV or Excel file (.csv, .xlsx, .xls; at most 50 MB), or - for standard input.

Start here:
  synth data.csv --inspect                          what is each column?
  synth data.csv --auto                             every column in its suggested role → synthetic_data.csv
  synth data.csv --auto -t price -o copy.csv -n 5000 -s 7
                                                    price as the target, 5,000 rows, always the same ones
  synth data.csv -t price --continuous area,age --categorical city
                                                    only these columns
  synth - --auto < data.csv > copy.csv              in a pipe
  synth data.csv --auto --json -o copy.csv          figures for a program
  synth data.csv --auto --url https://tables.example.org
                                                    made by a service; its key is in SYNTHETIC_TABLES_KEY
  synth sample JOB --url https://tables.example.org -n 9000 -o more.csv
                                                    more rows from the model of a job that is done there

Roles: the target is one numeric column, modelled by a Bayesian regression on the others; continuous columns
depend on each other by a vine copula; categorical ones are drawn jointly; text is written by a language model.
A column in no role is left out. Options name columns by a name, or several with commas; give an option twice
for a name that has a comma itself.`;

export function help(): string {
  const groups = Map.groupBy<string, OptionRow>(OPTIONS, ({ group }) => group);
  const sections = [...groups].map(([group, rows]) => `${group}:\n${rows.map(optionLine).join('\n')}`);
  const codes = EXIT_MEANING.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`).join('\n');
  const completion = `Completion: add one of these lines to the start-up file of your shell.
  bash  source <(synth --completion bash)
  zsh   source <(synth --completion zsh)
  fish  synth --completion fish | source`;
  return [HEAD, ...sections, `Ends with:\n${codes}`, completion].join('\n\n');
}

function optionLine({ name, short, value, help: said }: OptionRow): string {
  const flags = `${short === undefined ? '   ' : `-${short},`} --${name}${value === undefined ? '' : ` ${value}`}`;
  return `  ${flags.padEnd(26)}${said}`;
}
