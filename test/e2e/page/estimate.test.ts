import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, faultsOf } from '../../support/browser.ts';
import { type LiveServer, startServer } from '../../support/liveServer.ts';
import { housesCsv } from '../../support/tables.ts';
import { makeFolder } from '../../support/temporaryFolder.ts';
import { chooseFile, enterKey, openAdvanced, startButton } from './drive.ts';

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
    const bar = page.getByRole('status').filter({ hasText: /^About / });
    await bar.waitFor();
    const first = await bar.textContent();
    const box = page.getByRole('region', { name: 'Estimate' });
    await page.getByText('Time and memory', { exact: true }).click();

    await page.getByLabel('Rows to generate').fill('500000');
    await expect.poll(() => bar.textContent(), PATIENT).not.toBe(first);
    expect(await faultsOf(page)).toEqual([]);
    await box.getByRole('button', { name: /^(Generate 1,000 rows instead|Use these settings)$/ }).click();
    expect(await page.getByLabel('Rows to generate').inputValue()).toBe('1000');
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe('Estimate');

    await page.getByLabel('Rows to generate').fill('none');
    await expect.poll(() => bar.count(), PATIENT).toBe(0);
    await page.getByLabel('Rows to generate').fill('20');
    await openAdvanced(page);
    await page.getByRole('button', { name: 'Add a condition' }).click();
    const condition = page.getByRole('group', { name: 'Condition 1' });
    await condition.getByLabel('Column').selectOption('area');
    await condition.getByLabel('Lowest').fill('900');
    // What the service says stands beside the condition that it is about.
    await condition.getByText(/900/).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    expect(JSON.parse(await page.getByLabel('Conditions as JSON').inputValue())).toEqual([
      { column: 'area', between: [900, null] },
    ]);
    await page.getByLabel('Conditions as JSON').fill('[{"column": "area", "between": [2, 4]}]');
    await page.getByRole('button', { name: 'Edit in a form' }).click();
    expect(await condition.getByLabel('Highest').inputValue()).toBe('4');
    // The refusal of the request before, which the browser notes by itself.
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
    await startButton(page).waitFor();
    const before = await startButton(page).boundingBox();
    answer();
    await page.getByText(/^About /).waitFor();
    expect(await startButton(page).boundingBox()).toEqual(before);
  });
});
