import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileChooser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.ts';
import { type LiveServer, startServer } from '../../support/liveServer.ts';
import { housesCsv } from '../../support/tables.ts';
import { makeFolder } from '../../support/temporaryFolder.ts';
import { enterKey, faultsOfView, observe, tabTo } from './drive.ts';

const JOB_MS = 240_000;
/** Enough that the job is seen while it runs. */
const ROWS = 500;
/** Chromium on a busy machine now and then opens no dialog for a key: it is pressed again. */
const TIMES = 3;
const DIALOG_MS = 10_000;
const WAY = 'Check its quality';
const TITLE = 'Check the quality of synthetic data';

const [header = '', ...lines] = housesCsv(2 * ROWS)
  .trimEnd()
  .split('\n');
const part = (from: number, to: number): string => `${[header, ...lines.slice(from, to)].join('\n')}\n`;

const judged = (page: Page) =>
  page.getByRole('heading', { name: 'Quality check finished' }).waitFor({ timeout: JOB_MS });
const start = (page: Page) => page.getByRole('button', { name: 'Check quality' });

async function chooserOf(page: Page, label: string): Promise<FileChooser> {
  for (let at = 1; ; at++) {
    await tabTo(page, label);
    const opened = page.waitForEvent('filechooser', { timeout: DIALOG_MS });
    const orNone = opened.catch((error) => (at < TIMES ? null : Promise.reject(error)));
    const [chooser] = await Promise.all([orNone, page.keyboard.press('Space')]);
    if (chooser) return chooser;
  }
}

describeInBrowser('the page judges a synthetic table that was made elsewhere', (browser) => {
  const folder = makeFolder();
  const file = (name: string): string => join(folder.path, name);
  let server: LiveServer;

  beforeAll(async () => {
    writeFileSync(file('real.csv'), part(0, ROWS));
    writeFileSync(file('copies.csv'), part(0, ROWS));
    writeFileSync(file('held.csv'), part(ROWS, 2 * ROWS));
    writeFileSync(file('other.csv'), part(0, ROWS).replace('area', 'size'));
    server = await startServer();
  });
  afterAll(async () => {
    await server.stop();
    folder.remove();
  });

  const opened = async (width: number) => {
    const { page, said } = await browser.open({ viewport: { width, height: 800 } });
    await observe(page);
    await page.goto(server.url);
    await enterKey(page, server.key ?? '');
    return { page, said };
  };
  const field = (page: Page, label: RegExp) => page.getByLabel(label).and(page.locator('input'));
  const choose = async (page: Page, label: RegExp, name: string) => {
    await field(page, label).setInputFiles(file(name));
    await page.getByText(new RegExp(`✓ ${name}: `)).waitFor();
  };
  const grades = (page: Page) => page.getByRole('list', { name: 'Verdict' }).locator('.grade').allTextContents();

  it('by keyboard alone on a narrow screen, found from the first page and again after a reload', {
    timeout: JOB_MS,
  }, async () => {
    const { page, said } = await opened(360);
    await tabTo(page, WAY);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: TITLE }).waitFor();
    await expect.poll(() => page.title()).toBe('Check quality – Synthetic tables');
    expect(await start(page).isDisabled()).toBe(true);
    await page.getByText('Choose the real table.').waitFor();
    expect(await faultsOfView(page)).toEqual([]);
    for (const [label, name] of [
      ['Real table', 'real.csv'],
      ['Synthetic table', 'copies.csv'],
    ] as const) {
      await (await chooserOf(page, label)).setFiles(file(name));
      await page.getByText(new RegExp(`✓ ${name}: ${ROWS} rows`)).waitFor();
    }
    await page.reload();
    await page.getByText(`✓ real.csv: ${ROWS} rows`).waitFor();
    await page.getByText(`✓ copies.csv: ${ROWS} rows`).waitFor();
    await tabTo(page, 'Role of note');
    await page.keyboard.type('Ignore');
    expect(await faultsOfView(page)).toEqual([]);
    await tabTo(page, 'Check quality');
    await page.keyboard.press('Enter');
    await page.getByRole('progressbar', { name: 'Progress of the job' }).waitFor();
    expect(await page.getByRole('list', { name: 'Stages' }).getByRole('listitem').count()).toBe(4);
    await page.reload();
    await judged(page);
    await page.getByText(`copies.csv compared with real.csv: ${ROWS} rows`).waitFor();
    await page.getByRole('region', { name: 'Synthetic rows' }).getByRole('cell').first().waitFor();
    await page.getByRole('region', { name: 'Real rows' }).getByRole('cell').first().waitFor();
    await page.getByRole('heading', { name: 'Real and synthetic distributions' }).waitFor();
    expect(await grades(page)).toContain('poor');
    expect(await page.getByRole('button', { name: /^Download table/ }).count()).toBe(0);
    const [report] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download report' }).click(),
    ]);
    expect(report.suggestedFilename()).toBe('copies-report.html');
    expect(await faultsOfView(page)).toEqual([]);
    expect(said).toEqual([]);
  });

  it('and again with other tables, its roles kept; and says which column a table lacks', {
    timeout: JOB_MS,
  }, async () => {
    const { page, said } = await opened(1400);
    await page.getByRole('link', { name: WAY }).click();
    // Two at once: neither takes the other's place.
    await field(page, /^Real table/).setInputFiles(file('real.csv'));
    await field(page, /^Synthetic table/).setInputFiles(file('other.csv'));
    await page.getByText('✓ other.csv').waitFor();
    await page.getByText('✓ real.csv').waitFor();
    await page.getByText('The synthetic table has no column "area".').waitFor();
    expect(await start(page).isDisabled()).toBe(true);
    expect(await faultsOfView(page)).toEqual([]);
    await choose(page, /^Synthetic table/, 'copies.csv');
    await page.getByLabel('Role of note').selectOption('ignore');
    await start(page).click();
    await judged(page);
    expect((await grades(page)).length).toBeGreaterThan(1);

    await page.getByRole('button', { name: 'Check again with other tables or roles' }).click();
    await page.getByText('✓ copies.csv').waitFor();
    expect(await page.getByLabel('Role of note').inputValue()).toBe('ignore');
    await choose(page, /^Held-out real rows/, 'held.csv');
    expect(await faultsOfView(page)).toEqual([]);
    await start(page).click();
    await judged(page);
    await page.getByText(`with ${ROWS} real rows that were held out`).first().waitFor();
    expect(await faultsOfView(page)).toEqual([]);

    await page.getByRole('link', { name: 'My jobs' }).click();
    await page
      .getByText(new RegExp(`^quality check: ${ROWS} rows`))
      .first()
      .waitFor();
    const choices = page.getByRole('checkbox', { name: /^Side by side/ });
    for (const at of [0, 1]) await choices.nth(at).check();
    await page.getByRole('link', { name: 'Show the two side by side' }).click();
    await page.getByRole('heading', { name: 'Two results side by side' }).waitFor();
    expect(await faultsOfView(page)).toEqual([]);
    expect(said).toEqual([]);
  });
});
