/** The report in a browser, from a file: no service is needed. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { statusExample } from '../../../api/openapi/examples.ts';
import type { SequenceReport } from '../../../packages/contract/report.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { makeReport } from '../../../packages/synthesis/report/makeReport.ts';
import { renderReport } from '../../../packages/synthesis/report/page/renderReport.ts';
import { describeInBrowser, faultsOf } from '../../support/browser.ts';
import { METRICS } from '../../support/jobFixtures.ts';
import { levels, numbers, reportTaskOf, tableOf } from '../../support/reportTables.ts';

const COLUMNS = 30;

/** As many columns as make matrices wider than paper, one with a name as long as names get. */
function wideTable(seed: number) {
  const stream = createStream(seed, 'wide');
  const base = Array.from({ length: 120 }, () => stream.normal());
  const own = () => base.map((x) => x + stream.normal());
  return tableOf(
    numbers('a_column_whose_name_is_much_too_long_for_any_chart_or_table_on_a_phone', own()),
    ...Array.from({ length: COLUMNS }, (_, j) =>
      j % 3 === 0
        ? levels(
            `group ${j}`,
            own().map((x) => `level ${Math.floor(2 * x)}`),
          )
        : numbers(`measure ${j}`, own()),
    ),
  );
}

function walk(): SequenceReport {
  const stream = createStream(3, 'walk');
  const own = Array.from({ length: 12 }, () => Array.from({ length: 40 }, () => stream.normal()));
  const bands = Array.from({ length: 40 }, () => ({ q10: -1.3, q25: -0.7, q50: 0, q75: 0.7, q90: 1.3 }));
  return { column: 'a_number_whose_name_is_much_too_long_for_any_chart', real: bands, synthetic: own };
}

/** Widths of A4 and Letter less the margins, and what fits between them from top to bottom, in CSS pixels. */
const PAPERS = [
  ['A4', 688, 1002],
  ['Letter', 710, 935],
] as const;

/** What would be cut by the edge of a sheet or between two: boxes that are wider or taller than one, by name. */
const cutOn = (page: Page, width: number, height: number): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll('figure, .column, .grade, tr, table, svg')].flatMap((box) => {
    const { right, height } = box.getBoundingClientRect();
    const isTall = box.tagName !== 'TABLE' && height > ${height};
    return right > ${width} + 1 || isTall ? [box.tagName + ' ' + Math.round(right) + ' × ' + Math.round(height) + ' ' + box.textContent.slice(0, 40)] : [];
  })`);

describeInBrowser('the report', (browser) => {
  let html: string;
  beforeAll(async () => {
    const task = reportTaskOf(wideTable(1), wideTable(2), { metrics: statusExample.metrics ?? METRICS });
    html = await renderReport({ ...makeReport(task), sequences: [walk()] }, async () => undefined);
  });

  it.each([
    [360, 'light'],
    [768, 'dark'],
    [1400, 'light'],
  ] as const)('has no finding of axe and no sideways scroll at %i pixels, %s', async (width, colorScheme) => {
    const { page, said } = await browser.open({ viewport: { width, height: 800 }, colorScheme });
    await page.setContent(html);
    expect(await faultsOf(page)).toEqual([]);
    expect(said).toEqual([]);
    await page.close();
  });

  it.each(PAPERS)(
    'has no figure, table or row that is wider or taller than a sheet of %s',
    async (_, width, height) => {
      const { page } = await browser.open({ viewport: { width, height } });
      await page.setContent(html);
      await page.emulateMedia({ media: 'print' });
      expect(await cutOn(page, width, height)).toEqual([]);
      await page.close();
    },
  );
});
