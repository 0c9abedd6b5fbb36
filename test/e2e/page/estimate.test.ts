import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, faultsOf } from '../../support/browser.ts';
import { type LiveServer, startServer } from '../../support/liveServer.ts';
import { housesCsv } from '../../support/tables.ts';
import { makeFolder } from '../../support/temporaryFolder.ts';
import { chooseFile, enterKey, startButton } from './drive.ts';

/** Other suites may keep the machine busy. */
const PATIENT = { timeout: 30_000 };

describeInBrowser('the page says what a job would take', (browser) => {
  const folder = makeFolder();
  const table = join(folder.path, 'houses.csv');
  let server: LiveServer;
  beforeAll(async () => {
    writeFileSync(table, housesCsv(120));
    server = await startServer();
  });
  afterAll(async () => {
    await server.stop();
    folder.remove();
  });

  it.each([360, 1280])('before the start, with a cheaper plan to take, %i pixels wide', async (width) => {
    const { page, said } = await browser.open({ viewport: { width, height: 800 } });
    await page.goto(server.url);
    await enterKey(page, server.key ?? '');
    await chooseFile(page, table);
    const box = page.getByRole('region', { name: 'Estimate' });
    await box.getByRole('status').getByText('Estimated time').waitFor();
    const first = await box.getByRole('status').textContent();

    await page.getByLabel('Rows to generate').fill('500000');
    await expect.poll(() => box.getByRole('status').textContent(), PATIENT).not.toBe(first);
    expect(await faultsOf(page)).toEqual([]);
    await box.getByRole('button', { name: 'Use the cheaper plan' }).click();
    expect(await page.getByLabel('Rows to generate').inputValue()).toBe('1000');
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe('Estimate');

    await page.getByLabel('Rows to generate').fill('none');
    await expect.poll(() => box.count(), PATIENT).toBe(0);
    await page.getByLabel('Rows to generate').fill('20');
    await page.getByLabel('Conditions').fill('[{"column": "nothing", "equals": "x"}]');
    await box.getByText('nothing').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    // The refusal of the last request, which the browser notes by itself.
    expect(said.filter((line) => !line.includes('400'))).toEqual([]);
  });

  it('without moving the button that starts the job: a click that the answer falls into would be lost', async () => {
    const { page } = await browser.open({ viewport: { width: 1280, height: 800 } });
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/estimate', async (route) => {
      await asked;
      await route.continue();
    });
    await page.goto(server.url);
    await enterKey(page, server.key ?? '');
    await chooseFile(page, table);
    await page.getByText('chooses').waitFor();
    await startButton(page).scrollIntoViewIfNeeded();
    const before = await startButton(page).boundingBox();
    answer();
    const box = page.getByRole('region', { name: 'Estimate' });
    await box.getByRole('status').getByText('Estimated time').waitFor();
    expect(await startButton(page).boundingBox()).toEqual(before);
  });
});
