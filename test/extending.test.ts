/** A family, a measure and an output format are added as `docs/extending.md` says: one file and one line each. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from './support/imports.ts';

const COPIED = ['packages', 'api', 'service', 'mcp', 'web', 'package.json', 'tsconfig.json'];

interface Addition {
  file: string;
  text: string;
  registry: string;
  /** An import, and the entry behind what stands before it. */
  line: { imported: string; behind: string; entry: string };
}

const ADDITIONS: Addition[] = [
  {
    file: 'packages/numerics/distributions/normal.ts',
    text: `import type { ResponseFamily } from './family.ts';
import { gaussian } from './gaussian.ts';

export const normal: ResponseFamily = { ...gaussian, name: 'normal' };
`,
    registry: 'packages/numerics/distributions/families.ts',
    line: { imported: "import { normal } from './normal.ts';", behind: 'const TARGETS = {', entry: 'normal,' },
  },
  {
    file: 'packages/synthesis/judge/privacy/rowsAsked.ts',
    text: `import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import type { AttackTask, Measure } from '../measure.ts';
import { toMeasured } from '../measured.ts';

export const rowsAsked: Measure<{ rows_asked: MeasuredFigure }, AttackTask> = ({ ranked }) => {
  const rows = ranked.reduce((sum, { queried }) => sum + queried.synthetic.rows, 0);
  return { rows_asked: toMeasured({ value: rows, rows }) };
};
`,
    registry: 'packages/synthesis/judge/registry.ts',
    line: {
      imported: "import { rowsAsked } from './privacy/rowsAsked.ts';",
      behind: 'export const PRIVACY = [',
      entry: 'rowsAsked,',
    },
  },
  {
    file: 'packages/tables/toUpperCase.ts',
    text: `import type { OutputFormat } from './records.ts';

export const upperCase: OutputFormat = {
  title: 'capitals',
  contentType: 'text/plain; charset=utf-8',
  cells: 'as in the CSV file, in capitals',
  typed: false,
  async *convert(csv) {
    for await (const bytes of csv) yield new TextEncoder().encode(new TextDecoder().decode(bytes).toUpperCase());
  },
};
`,
    registry: 'packages/tables/formats.ts',
    line: {
      imported: "import { upperCase } from './toUpperCase.ts';",
      behind: 'export const OUTPUT_FORMATS = {',
      entry: 'txt: upperCase,',
    },
  },
];

const PROGRAM = `
import { download } from './api/routes/download.ts';
import { generateRequestSchema } from './packages/contract/requests.ts';
import { createStream } from './packages/numerics/random/createStream.ts';
import { familyOf } from './packages/numerics/distributions/families.ts';
import { measureAll } from './packages/synthesis/judge/measureAll.ts';
import { OUTPUT_FORMATS } from './packages/tables/formats.ts';

const random = createStream(1, 'table');
const numbers = () => ({ kind: 'numeric', name: 'x', values: Float64Array.from({ length: 60 }, () => random.normal()) });
const table = () => ({ rows: 60, columns: new Map([['x', numbers()]]) });
const roles = { target: 'x', continuous: [], categorical: [], text: [] };
const quiet = { report: async () => {}, onProgress: async () => {} };
const task = { train: table(), holdout: table(), synthetic: table(), roles, family: 'normal', crossFit: null, random };
const { privacy } = await measureAll({ ...task, ...quiet });
const bytes = async function* () { yield new TextEncoder().encode('a,b'); };
const pieces = await Array.fromAsync(OUTPUT_FORMATS.txt.convert(bytes()));
console.log(JSON.stringify({
  family: generateRequestSchema.parse({ job_id: 'j', target_col: 'x', family: 'normal' }).family,
  density: familyOf('normal').logDensity(0, Float64Array.of(0, 0)),
  figure: privacy.rows_asked,
  format: download.query.parse({ format: 'txt' }),
  text: new TextDecoder().decode(pieces[0]),
}));
`;

describe('one file and one line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'extending-'));
  const node = (...args: string[]): string =>
    execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  beforeAll(() => {
    for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const { file, text, registry, line } of ADDITIONS) {
      writeFileSync(join(folder, file), text);
      const path = join(folder, registry);
      const before = readFileSync(path, 'utf8');
      const after = before
        .replace('import ', `${line.imported}\nimport `)
        .replace(line.behind, `${line.behind}\n  ${line.entry}`);
      writeFileSync(path, after);
    }
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('adds a family, a figure and a format that work', () => {
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    expect(JSON.parse(node('program.ts'))).toEqual({
      family: 'normal',
      density: expect.closeTo(-0.919, 3),
      figure: expect.objectContaining({ value: 60, rows: 60, verdict: null }),
      format: { format: 'txt' },
      text: 'A,B',
    });
  });

  it('asks the compiler for nothing more', () => {
    const include = [
      'packages/contract',
      'packages/client',
      'packages/synthesis/judge',
      'packages/synthesis/family',
      'api/routes/download.ts',
    ];
    const config = { extends: './tsconfig.json', include };
    writeFileSync(join(folder, 'tsconfig.extended.json'), JSON.stringify(config));
    const tsc = ['node_modules/typescript-7/bin/tsc', '--noEmit', '-p', 'tsconfig.extended.json'];
    const { status, stdout } = spawnSync(process.execPath, tsc, { cwd: folder, encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, '']);
  });
});
