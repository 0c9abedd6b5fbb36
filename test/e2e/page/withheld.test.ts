import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { succeeded } from '../../../api/http/refused.ts';
import { statusExample } from '../../../api/openapi/examples.ts';
import { NO_RULES } from '../../../packages/contract/releasePolicy.ts';
import type { StatusReply } from '../../../packages/contract/replies.ts';
import { describeInBrowser, faultsOf } from '../../support/browser.ts';
import { type LiveServer, startServer } from '../../support/liveServer.ts';
import { enterKey } from './drive.ts';

const REASON = '2 rows of the table match a unique real row; the policy allows 0.';

/** A finished job whose rows are withheld until they are released, in the place of the service. Gives the calls made. */
async function withhold(page: Page): Promise<string[]> {
  const calls: string[] = [];
  let release: NonNullable<StatusReply['release']> = 'withheld';
  const policy = { ...NO_RULES, exact_copies: 0 };
  const found = {
    nearest_train_share_lower: null,
    exact_copies: 2,
    verbatim_text: null,
    membership_auc_lower: null,
    singling_out_excess: null,
    linkability_excess: null,
    attribute_excess: null,
  };
  const { metrics } = statusExample;
  if (!metrics) throw new Error('the example has no metrics');
  const withheld = {
    ...metrics,
    release: { policy, outcome: 'withheld' as const, reasons: [REASON], found, redrawn: 0 },
  };
  await page.route(/\/(status|jobs|download|report)\/held/, async (route) => {
    const { pathname } = new URL(route.request().url());
    calls.push(pathname);
    if (pathname.endsWith('/release')) release = 'released';
    if (pathname.startsWith('/download')) return route.fulfill({ contentType: 'text/csv', body: 'a,b\n1,2\n' });
    if (pathname.startsWith('/report')) return route.fulfill({ status: 404, json: {} });
    if (pathname.endsWith('/columns'))
      return route.fulfill({ json: succeeded({ job_id: 'held', profile: { columns: [] } }) });
    return route.fulfill({ json: succeeded({ ...statusExample, job_id: 'held', metrics: withheld, release }) });
  });
  return calls;
}

describeInBrowser('rows that the release policy withholds', (browser) => {
  let server: LiveServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it('are not fetched before the visitor has read why and given them out', async () => {
    const { page, said } = await browser.open({ viewport: { width: 800, height: 900 } });
    const calls = await withhold(page);
    await page.goto(`${server.url}/#job=held`);
    await enterKey(page, server.key ?? '');
    await page.getByText(REASON).waitFor();
    expect(await page.getByRole('button', { name: /^Download table/ }).count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
    expect(calls.filter((path) => path.startsWith('/download'))).toEqual([]);
    await page.getByRole('button', { name: 'Release the rows anyway…' }).click();
    expect(calls).not.toContain('/jobs/held/release');
    await page.getByRole('button', { name: 'I have read this: release the rows' }).click();
    await page.getByRole('button', { name: /^Download table/ }).waitFor();
    expect(calls).toContain('/jobs/held/release');
    // There is no report of this job, which the browser notes by itself.
    expect(said.filter((line) => !line.includes('404'))).toEqual([]);
  });
});
