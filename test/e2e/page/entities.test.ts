/** Rows that belong together, on the page: suggested, made, drawn, and more of them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, faultsOf } from '../../support/browser.ts';
import { type LiveServer, startServer } from '../../support/liveServer.ts';
import { makeFolder } from '../../support/temporaryFolder.ts';
import { ledger } from '../../synthesis/methods/entities/ledger.ts';
import { chooseFile, enterKey, finished, startButton } from './drive.ts';

const JOB_MS = 240_000;
const ACCOUNTS = 120;

/** Accounts of the file that the browser saves. */
async function accountsIn(page: Page): Promise<number> {
  const button = page.getByRole('button', { name: /^Download table/ });
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  const { data } = Papa.parse<string[]>(readFileSync((await download.path()) ?? '', 'utf8'), { skipEmptyLines: true });
  const [header = [], ...rows] = data;
  return new Set(rows.map((row) => row[header.indexOf('account')])).size;
}

describeInBrowser('the page makes rows that belong together', (browser) => {
  const folder = makeFolder();
  const file = join(folder.path, 'ledger.csv');
  let server: LiveServer;
  beforeAll(async () => {
    const rows = ledger(ACCOUNTS, 6).sort((a, b) => a.date.localeCompare(b.date));
    writeFileSync(file, Papa.unparse(rows, { newline: '\n' }));
    server = await startServer();
  });
  afterAll(async () => {
    await server.stop();
    folder.remove();
  });

  it('as whole accounts in their order, with a picture of them, and draws more', { timeout: JOB_MS }, async () => {
    const { page, said } = await browser.open({ viewport: { width: 360, height: 800 } });
    await page.goto(server.url);
    await enterKey(page, server.key ?? '');
    await chooseFile(page, file);
    await startButton(page).waitFor();
    expect(await page.getByLabel('Do several rows describe the same person or thing?').inputValue()).toBe('account');
    expect(await page.getByLabel('In the order of').inputValue()).toBe('date');
    await page.getByText(`"account" has ${ACCOUNTS} keys in ${ACCOUNTS * 6} rows.`).waitFor();
    await page.getByLabel('Entities to generate').fill('none');
    await page.getByText('Enter a whole number, 1 or more, or leave this empty.').waitFor();
    await page.getByLabel('Entities to generate').fill('15');
    expect(await faultsOf(page)).toEqual([]);
    await startButton(page).click();
    await finished(page, JOB_MS);
    expect(await accountsIn(page)).toBe(15);
    const sequences = page.getByRole('region', { name: 'Sequences' });
    await sequences.getByRole('img', { name: 'balance, real' }).waitFor();
    await sequences.getByRole('img', { name: 'balance, synthetic' }).waitFor();
    await expect.poll(() => sequences.getByText('12 synthetic entities drawn.').count()).toBe(3);
    expect(await faultsOf(page)).toEqual([]);

    await page.getByLabel('Entities to generate').fill('4');
    await page.getByRole('button', { name: 'Generate more rows' }).click();
    await page.getByText('Rows from the model of job').first().waitFor({ timeout: JOB_MS, state: 'attached' });
    await finished(page, JOB_MS);
    expect(await accountsIn(page)).toBe(4);
    expect(said).toEqual([]);
  });
});
