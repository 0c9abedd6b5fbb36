/** Charts of a finished job, drawn from the report that the service sends. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { succeeded } from '../../../api/http/refused.ts';
import { statusExample } from '../../../api/openapi/examples.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { makeReport } from '../../../packages/synthesis/report/makeReport.ts';
import { percent } from '../../../packages/words/wording.ts';
import { describeInBrowser, faultsOf } from '../../support/browser.ts';
import { METRICS } from '../../support/jobFixtures.ts';
import { type LiveServer, startServer } from '../../support/liveServer.ts';
import { numbers, reportTaskOf, tableOf } from '../../support/reportTables.ts';
import { enterKey } from './drive.ts';

const COLUMNS = 200;
const MAX_CHART_MS = 200;

function wideTable(seed: number) {
  const stream = createStream(seed, 'wide');
  const column = (j: number) => Array.from({ length: 200 }, () => stream.normal() * (1 + (j % 7) * (seed - 1)));
  return tableOf(...Array.from({ length: COLUMNS }, (_, j) => numbers(`column ${j}`, column(j))));
}

const steps = (own: number): number[] => Array.from({ length: 40 }, (_, row) => own + row);
const walk = {
  column: 'a_number_whose_name_is_much_too_long_for_any_chart_or_table_on_a_phone',
  real: steps(0).map((row) => ({ q10: row - 9, q25: row - 4, q50: row, q75: row + 4, q90: row + 9 })),
  synthetic: Array.from({ length: 12 }, (_, at) => steps(at - 6)),
};
const report = {
  ...makeReport(reportTaskOf(wideTable(1), wideTable(2), { metrics: statusExample.metrics ?? METRICS })),
  sequences: [walk],
};

/** A finished job with this report, in the place of the service. */
async function finishedJob(page: Page): Promise<void> {
  await page.route(/\/(status|jobs|download|report)\/wide/, (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname.startsWith('/download')) return route.fulfill({ contentType: 'text/csv', body: 'a,b\n1,2\n' });
    if (pathname.startsWith('/report')) return route.fulfill({ json: succeeded(report) });
    if (pathname.endsWith('/columns')) return route.fulfill({ status: 404, json: {} });
    return route.fulfill({ json: succeeded({ ...statusExample, job_id: 'wide', release: 'open' }) });
  });
}

const charts = (page: Page) => page.getByRole('region', { name: 'Real and synthetic distributions' });

/** Names and captions of the charts that are drawn. */
const drawn = (page: Page): Promise<string[]> => charts(page).getByRole('listitem').allInnerTexts();

describeInBrowser('charts of 200 columns', (browser) => {
  let server: LiveServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it('say the overlaps of the report, worst first, before and after a reload, and are found by name at once', async () => {
    const { page, said } = await browser.open({ viewport: { width: 360, height: 800 } });
    await finishedJob(page);
    await page.goto(`${server.url}/#job=wide`);
    await enterKey(page, server.key ?? '');
    await charts(page).waitFor();
    const worst = report.columns.toSorted((a, b) => (a.overlap ?? 2) - (b.overlap ?? 2)).slice(0, 12);
    const first = await drawn(page);
    expect(first).toHaveLength(worst.length);
    for (const [at, { name, overlap }] of worst.entries()) {
      expect(first[at]).toContain(name);
      expect(first[at]).toContain(`Overlap ${percent(overlap ?? 0)}`);
    }
    await page.reload();
    await charts(page).waitFor();
    expect(await drawn(page)).toEqual(first);

    const before = performance.now();
    await charts(page).getByLabel('Find a column').fill('column 19');
    await expect.poll(() => drawn(page).then(({ length }) => length)).toBe(11);
    expect((performance.now() - before) / 11).toBeLessThan(MAX_CHART_MS);
    const scores = page.getByRole('region', { name: 'Scores of all columns' }).getByRole('row');
    await expect.poll(() => scores.count()).toBe(COLUMNS + 1);
    const sequences = page.getByRole('region', { name: 'Sequences' });
    for (const side of ['real', 'synthetic'])
      await sequences.getByRole('img', { name: `${walk.column}, ${side}` }).waitFor();
    await sequences.getByText('Real median 0 in row 1, 39 in row 40; 12 synthetic entities drawn.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    // What is mocked as missing is all that the console speaks of.
    expect(said.filter((text) => !text.includes('404'))).toEqual([]);
  });
});
