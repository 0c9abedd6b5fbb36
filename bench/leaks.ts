/** Cells by which a person could be found, looked for in all that the service gives out or keeps. */
import { type Canary, leakTable } from './leaks/canaries.ts';
import { collect } from './leaks/collect.ts';
import { CanarySearch, type Found } from './leaks/search.ts';
import type { Bench } from './support/bench.ts';
import { printTable } from './support/printTable.ts';

const SEED = 1;

const TO_OWNER = 'an answer to the key that uploaded the file, which is shown the same by POST /upload';

/** What may be found, and why. */
const ALLOWED: readonly { place: string; canary: string; why: string }[] = [
  { place: 'refusals', canary: 'rare level', why: TO_OWNER },
  { place: 'refusals', canary: 'extreme number', why: TO_OWNER },
];

interface Finding {
  place: string;
  canary: string;
  found: Found;
}

export const bench: Bench = {
  title:
    'Eleven kinds of telling cells in all that the service gives out or keeps: none; exit code 1 where one is found',
  async run() {
    const { csv, canaries } = leakTable(SEED);
    const search = new CanarySearch(canaries);
    const missed = [...search.look(Buffer.from(csv)).keys()];
    if (missed.length < canaries.length) throw new Error(`the search finds only ${missed.join(', ')} in the upload`);
    const rows: string[][] = [];
    const findings: Finding[] = [];
    for (const [place, bodies] of await collect(csv)) {
      const found = bodies.flatMap((body) => [...search.look(body)]);
      const own = canaries.map(({ name }) => ({ place, canary: name, found: sum(found, name) }));
      findings.push(...own.filter(({ found: { count } }) => count > 0));
      rows.push([place, ...own.map(cellOf)]);
    }
    print(canaries, rows);
    report(findings);
  },
};

function sum(found: readonly [name: string, found: Found][], name: string): Found {
  const own = found.filter(([each]) => each === name).map(([, each]) => each);
  const count = own.reduce((all, each) => all + each.count, 0);
  return { count, forms: new Set(own.flatMap(({ forms }) => [...forms])) };
}

const cellOf = ({ found: { count } }: Finding): string => (count === 0 ? '·' : `FOUND ${count}`);

function print(canaries: readonly Canary[], rows: readonly (readonly string[])[]): void {
  printTable(['place', ...canaries.map(({ name }) => name)], rows);
  console.log(
    '\nThe answer of POST /upload, and GET /jobs/<job_id>/columns, show the owner cells of the upload: not searched.',
  );
}

function report(findings: readonly Finding[]): void {
  for (const { place, canary, found } of findings) {
    const allowed = ALLOWED.find((each) => each.place === place && each.canary === canary);
    console.log(`${place}: ${canary} as ${[...found.forms].join(', ')}${allowed ? ` (allowed: ${allowed.why})` : ''}`);
    if (!allowed) process.exitCode = 1;
  }
}
