/** `docs/formal-privacy.md` names files and functions that there are, and figures that the code computes. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ColumnDomain } from '../packages/contract/privacy.ts';
import { epsilonOf, rhoOf } from '../packages/numerics/privacy/accounting.ts';
import { createCurator } from '../packages/numerics/privacy/curator.ts';
import { codeColumn } from '../packages/synthesis/methods/private/codes.ts';
import { COLUMNS_SHARE, maxBinsFor } from '../packages/synthesis/methods/private/privateModel.ts';
import { sketchColumn } from '../packages/synthesis/methods/private/sketchColumn.ts';
import { MAX_COLUMNS } from '../packages/tables/table.ts';
import { root } from './support/imports.ts';
import { fitBy, type Question, recording } from './support/privacyAudit.ts';
import { neighbours } from './support/privateTables.ts';
import { bytesFrom } from './support/samplers.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const paper = read('docs/formal-privacy.md');

describe('what the paper names', () => {
  const paths = [...new Set([...paper.matchAll(/`([\w.-]+\/[\w./-]+\.ts)`/g)].map(([, path]) => path!))];

  it.each(paths)('%s is there', (path) => {
    expect(existsSync(join(root, path))).toBe(true);
  });

  it.each([...paper.matchAll(/\]\((?!http)([^)#]+)/g)].map(([, link]) => link!))('%s can be followed', (link) => {
    expect(existsSync(join(root, 'docs', link))).toBe(true);
  });

  it.each([...paper.matchAll(/`(\w+)`(?: and `(\w+)`)? (?:in|of)\s+`([\w./-]+\.ts)`/g)].map(([, ...found]) => found))(
    '%s and %s stand in %s',
    (one, other, path) => {
      for (const name of [one!, other ?? one!]) expect(read(path!)).toMatch(new RegExp(`\\b${name}\\b`));
    },
  );

  it('is code: each single name occurs in one of these files', () => {
    const code = paths.map(read).join('\n');
    const names = [...new Set([...paper.matchAll(/`(\w+)`/g)].map(([, name]) => name!))];
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  });
});

/** Rows of a table of the paper, by its header. */
function tableBelow(header: string): string[][] {
  const [, below = ''] = paper.split(`\n${header}\n`);
  const lines = below.slice(0, below.indexOf('\n\n')).split('\n').slice(1);
  return lines.map((line) => line.slice(2, -2).split(' | '));
}

describe('the worked example of the paper', () => {
  const [delta, width] = [1e-6, 15];
  const rho = rhoOf(1, delta);
  const own = (COLUMNS_SHARE * rho) / (width - 3 + 3 * 3);
  const sigmaOf = (cost: number): number => Math.sqrt(1 / (2 * cost));
  const round = ((1 - COLUMNS_SHARE) * rho) / (4 * width);
  const bins = maxBinsFor(rho, width);
  const rate = Math.sqrt(2 * 0.15 * round);
  const [four, all] = [rhoOf(4, delta), rhoOf(10, delta)];

  /** The noise of a column's first count. */
  const firstSigma = (domain: ColumnDomain, weight = 1): number => {
    const column = codeColumn({ name: 'x', codes: new Int32Array(0), levels: [] }, domain);
    const asked: Question[] = [];
    const cost = weight * own;
    sketchColumn(column, recording(createCurator(cost, bytesFrom(1, 'sigma')), asked), cost, bins);
    return sigmaOf(asked[0]!.rho);
  };

  it('has the figures that the code computes', () => {
    const figures = [
      ...[rho, rho + 2 * Math.sqrt(rho * Math.log(1 / delta)), own].map(short),
      ...[firstSigma({ levels: ['a'] }), 2 * sigmaOf(own)].map(short),
      short(firstSigma({ min: 17, max: 90, decimals: 0 })),
      short(firstSigma({ min: 0, max: 99_999, decimals: 0 }, 3)),
      `${bins}`,
      ...[round, rate, Math.exp(500 * rate), sigmaOf(0.85 * round)].map(short),
      `${Math.round(Math.sqrt(2 / Math.PI) * sigmaOf(0.85 * round) * bins ** 2)}`,
      ...[epsilonOf(4 * rho, delta), epsilonOf(25 * rho, delta), 0.01 * Math.E + delta].map(short),
      short(all),
      short(epsilonOf(2 * rho, delta)),
      `${Math.floor(all / rho)}`,
      short(epsilonOf(2 * four, delta)),
      `${Math.floor(100 * epsilonOf(all - 2 * four, delta)) / 100}`,
      short(sigmaOf((COLUMNS_SHARE * rhoOf(0.001, 1e-300)) / (8 * MAX_COLUMNS))),
    ];
    expect(tableBelow('| quantity | how | value |').map((cells) => cells.at(-1))).toEqual(figures);
  });

  const short = (figure: number): string => figure.toPrecision(5);
});

describe('the release of the paper, question by question', () => {
  const rho = rhoOf(1, 1e-2);
  const questions: Question[] = [];

  beforeAll(async () => {
    const curator = createCurator(rho, bytesFrom(1, 'paper'));
    await fitBy(neighbours(3)[0], recording(curator, questions), rho);
  });

  const list = (values: readonly number[]): string => values.join(', ').replaceAll('-', '−');

  /** The first cells of a count stand for it where they are many. */
  function rowOf({ asked, given, rho: cost }: Question, at: number): string[] {
    const share = `${((100 * cost) / rho).toFixed(2)} %`;
    if (typeof given === 'number') return [`${at + 1}`, 'Q4', `scores ${list(asked)}`, `pair ${given}`, share];
    const isColumn = asked.length === 5;
    const [first, second] = [asked, given.counts].map((values) => list(values.slice(0, 5)) + (isColumn ? '' : ', …'));
    return [`${at + 1}`, isColumn ? 'Q1' : 'Q5', first!, second!, share];
  }

  it('is what the code asks and answers', () => {
    const rows = questions.map(rowOf);
    expect(tableBelow('| | question | true | answer | share of ρ |')).toEqual(rows);
  });
});
