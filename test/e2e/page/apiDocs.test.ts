import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, faultsOf } from '../../support/browser.ts';
import { type LiveServer, startServer } from '../../support/liveServer.ts';

describeInBrowser('the description of the interface', (browser) => {
  let server: LiveServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it.each([
    { width: 360, colorScheme: 'dark' as const },
    { width: 2560, colorScheme: 'light' as const },
  ])(
    'is searched, and its calls are tried with the visitor’s own key, at $width px',
    async ({ width, colorScheme }) => {
      const { page, said } = await browser.open({ viewport: { width, height: 900 }, colorScheme });
      await page.goto(`${server.url}/api-docs`);
      const fields = page.getByRole('region', { name: 'Fields of the request of POST /generate' });
      expect(await fields.textContent()).toMatch(
        /n_samples.*Number of rows to generate.*3000 by default.*Bounds: 1 to 1000000/s,
      );
      const errors = page.getByRole('region', { name: 'Errors of POST /generate' });
      expect(await errors.textContent()).toMatch(/429.*capacity_exceeded/s);
      await page.evaluate('for (const each of document.querySelectorAll("#postUpload details")) each.open = true');
      expect(await faultsOf(page)).toEqual([]);
      await page.getByLabel('Search calls, fields and error codes').fill('capacity_exceeded');
      const calls = page.locator('section[data-call]:visible h2');
      const shown = (await calls.allTextContents()).map((title) => title.trim());
      expect(shown.some((title) => title.endsWith('/generate'))).toBe(true);
      expect(shown.some((title) => title.endsWith('/health'))).toBe(false);
      await page.getByLabel('Search calls, fields and error codes').fill('');
      await page.getByLabel('Your key, to try calls here').fill(server.key ?? '');
      await page.getByRole('button', { name: 'Send GET /health' }).click();
      await page.getByText(/^200 OK/).waitFor();
      expect(await page.getByRole('form', { name: 'Try GET /health' }).textContent()).toContain('"gpu_available"');
      expect(await faultsOf(page)).toEqual([]);
      expect(said).toEqual([]);
    },
  );
});
