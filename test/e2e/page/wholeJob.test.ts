import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Papa from 'papaparse';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { describeInBrowser, faultsOf } from '../../support/browser.ts';
import { type LiveServer, startServer } from '../../support/liveServer.ts';
import { describeShared } from '../../support/shared.ts';
import { makeFolder } from '../../support/temporaryFolder.ts';
import {
  chooseFile,
  chooseLittle,
  enterKey,
  faultsOfView,
  finished,
  observe,
  openAdvanced,
  retype,
  startButton,
  tabTo,
  vitalsOf,
} from './drive.ts';

const JOB_MS = 240_000;
const MINUTES_3 = 180_000;
/** Longer than a browser takes what moves for an answer to a click. */
const LATE_MS = 1500;
const NARROW = { width: 360, height: 740 };
const WIDE = { width: 2560, height: 1300 };

const rowsSchema = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()])));

const CARS = 80;

/** The first cars of the package `vega-datasets`, as a CSV file. */
function carsCsv(): string {
  const path = join(createRequire(import.meta.url).resolve('vega-datasets'), '..', '..', 'data', 'cars.json');
  return Papa.unparse(rowsSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).slice(0, CARS), { newline: '\n' });
}

/** Header and number of rows of the file that the browser saves. */
async function downloaded(page: Page): Promise<{ header: string[]; rows: number; name: string }> {
  const button = page.getByRole('button', { name: /^Download table/ });
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  const { data } = Papa.parse<string[]>(readFileSync((await download.path()) ?? '', 'utf8'), { skipEmptyLines: true });
  return { header: data[0] ?? [], rows: data.length - 1, name: download.suggestedFilename() };
}

describeInBrowser('the page takes a table through the whole job', (browser) => {
  const folder = makeFolder();
  const cars = join(folder.path, 'cars.csv');
  let server: LiveServer;

  beforeAll(async () => {
    writeFileSync(cars, carsCsv());
    server = await startServer();
  });
  afterAll(async () => {
    await server.stop();
    folder.remove();
  });

  it('once it is read as what it is: a file in another encoding, at a click', async () => {
    const french = join(folder.path, 'french.csv');
    writeFileSync(french, Buffer.from(`nom,prix\n${'Hélène,12\nRené,14\n'.repeat(40)}`, 'latin1'));
    const { page } = await browser.open({ viewport: NARROW });
    await page.goto(server.url);
    await enterKey(page, server.key ?? '');
    await chooseFile(page, french);
    await page.getByText('It is probably Windows-1252').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Read it as Windows-1252 (Western European)' }).click();
    await page.getByText('Hélène').first().waitFor({ state: 'attached' });
  });

  it('by keyboard alone on a narrow screen, and finds it again after a reload', { timeout: JOB_MS }, async () => {
    const { page, said } = await browser.open({ viewport: NARROW });
    await observe(page);
    await page.goto(server.url);
    await tabTo(page, 'API key');
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.type(server.key ?? '');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Upload a table' }).waitFor();
    await tabTo(page, 'Drop a file here, or choose one');
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Space')]);
    await chooser.setFiles(cars);

    await startButton(page).waitFor();
    expect(await faultsOfView(page)).toEqual([]);
    await tabTo(page, 'Role of Name');
    await page.keyboard.type('Ignore');
    await tabTo(page, 'Rows to generate');
    await retype(page, '120');
    await tabTo(page, 'Advanced');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Draws');
    await retype(page, '100');
    await tabTo(page, 'Tuning steps');
    await retype(page, '100');
    await tabTo(page, 'Generate table');
    await page.keyboard.press('Enter');

    await page.getByRole('progressbar', { name: 'Progress of the job' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.reload();
    await finished(page, JOB_MS);
    await page.getByRole('heading', { name: 'Rows', exact: true }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await tabTo(page, /^Download table/);
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    const [header] = readFileSync((await download.path()) ?? '', 'utf8').split('\n');
    expect(header).not.toContain('Name');
    expect(header).toContain('Horsepower');
    expect(said).toEqual([]);
  });

  it('to a result within five clicks and three minutes, from an address with the key', {
    timeout: JOB_MS,
  }, async () => {
    const { page, said } = await browser.open({ viewport: WIDE, colorScheme: 'light' });
    await observe(page);
    // The one thing that is not left to chance: with another seed, one verdict in some is mixed.
    await page.route('**/generate', (route) => {
      const asked = z.record(z.string(), z.unknown()).parse(route.request().postDataJSON());
      return route.continue({ postData: { ...asked, seed: 7 } });
    });
    const began = Date.now();
    await page.goto(`${server.url}/#key=${server.key}`);
    await page.getByRole('heading', { name: 'Upload a table' }).waitFor();
    expect(page.url()).not.toContain('key');
    await page.getByRole('button', { name: 'Try our sample' }).click();
    await startButton(page).click();
    await finished(page, MINUTES_3);
    expect(Date.now() - began).toBeLessThan(MINUTES_3);
    const grades = await page.getByRole('list', { name: 'Verdict' }).locator('.grade').allTextContents();
    // The 200 rows that are held out of 2,000 are too few to show that no attack succeeds; cross-fitting would.
    expect(grades.slice(0, 3)).toEqual(['good', 'good', 'not shown']);
    await page.getByRole('button', { name: 'Run again with cross-fitted attacks' }).waitFor();
    expect((await vitalsOf(page)).clicks).toBeLessThanOrEqual(5);
    await expect.poll(() => page.title()).toBe('appointments.csv: result – Synthetic tables');

    await page.getByLabel('Format').selectOption('jsonl');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as JSON Lines' }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toBe('appointments-synthetic.jsonl');
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line))).toHaveLength(3000);

    await page.getByRole('button', { name: 'Run again with other settings' }).click();
    await startButton(page).waitFor();
    await openAdvanced(page);
    // The seed that was chosen for the first job: what it asked for is filled in.
    expect(await page.getByLabel('Seed').inputValue()).toMatch(/^\d+$/);
    expect(await faultsOfView(page)).toEqual([]);
    // A report that comes late moves nothing.
    await page.route('**/report/**', async (route) => {
      await setTimeout(LATE_MS);
      await route.continue();
    });
    await page.goBack();

    const more = page.getByRole('region', { name: 'More rows' });
    await more.getByLabel('Rows to generate').fill('0');
    expect(await more.getByRole('button').isDisabled()).toBe(true);
    await more.getByLabel('Rows to generate').fill('33');
    await page.getByRole('heading', { name: 'Real and synthetic distributions' }).waitFor();
    expect(await faultsOfView(page)).toEqual([]);
    await page.unroute('**/report/**');
    await more.getByRole('button', { name: 'Generate more rows' }).click();
    await more.waitFor({ state: 'detached' });
    await finished(page, JOB_MS);
    expect((await downloaded(page)).rows).toBe(33);

    await page.getByRole('link', { name: 'My jobs' }).click();
    const choices = page.getByRole('checkbox', { name: /^Side by side/ });
    await choices.first().waitFor();
    for (const at of [0, 1]) await choices.nth(at).check();
    await page.getByRole('link', { name: 'Show the two side by side' }).click();
    await page.getByRole('row', { name: /^Rows to generate ≠/ }).waitFor();
    expect(await faultsOfView(page)).toEqual([]);
    expect(said).toEqual([]);
  });

  it('and is drawn within a second', async () => {
    const { page } = await browser.open({ viewport: NARROW });
    await observe(page);
    const paints: number[] = [];
    // The best of three: other tests use the same processor.
    for (let time = 0; time < 3; time++) {
      await page.goto(server.url);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(async () => (await vitalsOf(page)).paintMs).toBeGreaterThan(0);
      paints.push((await vitalsOf(page)).paintMs);
    }
    expect(Math.min(...paints)).toBeLessThan(1000);
  });

  it('and lists, cancels and erases jobs', { timeout: JOB_MS }, async () => {
    const { page, said } = await browser.open({ viewport: WIDE, colorScheme: 'dark' });
    await page.goto(server.url);
    await enterKey(page, server.key ?? '');
    await chooseFile(page, cars);
    await openAdvanced(page);
    await page.getByLabel('Draws').fill('10000');
    await startButton(page).click();
    await page.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByText('cancelled').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'My jobs' }).click();
    const jobs = page.getByRole('list', { name: 'Jobs' }).getByRole('listitem');
    await jobs.first().waitFor();
    const before = await jobs.count();
    expect(await faultsOf(page)).toEqual([]);
    await jobs
      .first()
      .getByRole('button', { name: /^Delete…/ })
      .click();
    await jobs
      .first()
      .getByRole('button', { name: /^Delete permanently/ })
      .click();
    await expect.poll(() => jobs.count()).toBe(before - 1);
    expect(said).toEqual([]);
  });

  it('and says what is wrong next to where it arose', { timeout: JOB_MS }, async () => {
    const { page } = await browser.open({ viewport: NARROW });
    await page.goto(server.url);
    await enterKey(page, 'not-a-key');
    await page.getByRole('alert').getByText('unauthorized').waitFor();
    await enterKey(page, server.key ?? '');
    const upload = page.getByRole('region', { name: 'Upload a table' });
    await upload.waitFor();
    for (const [name, content, code] of [
      ['table.pdf', 'x', 'unsupported_file_type'],
      ['empty.csv', '', 'empty_file'],
      ['header.csv', 'a,b\n', 'no_data_rows'],
    ] as const) {
      writeFileSync(join(folder.path, name), content);
      await chooseFile(page, join(folder.path, name));
      await upload.getByRole('alert').getByText(code).waitFor();
    }
    expect(await faultsOf(page)).toEqual([]);
    await chooseFile(page, cars);
    await openAdvanced(page);
    await page.getByLabel('Draws').fill('7');
    const field = page.getByLabel('Draws');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await startButton(page).isDisabled()).toBe(true);
    await page.getByLabel('Draws').fill('100');
    await page.getByLabel('Webhook URL').fill('http://example.org');
    expect(await startButton(page).isDisabled()).toBe(true);
    await page.getByLabel('Webhook URL').fill('');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Give at least one column a role other than Ignore').waitFor();
    expect(await startButton(page).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Reset to suggested' }).click();
    expect(await startButton(page).isDisabled()).toBe(false);
    expect(await faultsOf(page)).toEqual([]);
  });

  describeShared('on a shared table', (dir) => {
    it('titanic.csv', { timeout: JOB_MS }, async () => {
      const { page, said } = await browser.open({ viewport: WIDE, colorScheme: 'dark' });
      await page.goto(server.url);
      await enterKey(page, server.key ?? '');
      await chooseFile(page, join(dir, 'data', 'titanic.csv'));
      await startButton(page).waitFor();
      const names = page.getByLabel('Role of Name');
      if (await names.count()) await names.selectOption('ignore');
      await chooseLittle(page, 150);
      await startButton(page).click();
      await finished(page, JOB_MS);
      await page.getByRole('region', { name: 'Real rows' }).waitFor();
      const drawn = page.getByRole('region', { name: 'Synthetic rows' }).getByRole('row');
      await expect.poll(() => drawn.count(), { timeout: 30_000 }).toBe(21);
      await page.getByRole('heading', { name: 'Real and synthetic distributions' }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
      const { header, rows, name } = await downloaded(page);
      expect([rows, name]).toEqual([150, 'titanic-synthetic.csv']);
      expect(header).toHaveLength(11);
      expect(said).toEqual([]);
    });
  });
});
