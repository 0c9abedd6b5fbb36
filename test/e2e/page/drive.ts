/** The steps of a visitor at GET /, by mouse or by keyboard alone. */

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { z } from 'zod';
import { faultsOf } from '../../support/browser.ts';

/** Text of the element that has the focus, as a screen reader would name it. */
const FOCUSED = `(() => {
  const at = document.activeElement;
  if (!at || at === document.body) return '';
  const labels = [...(at.labels ?? [])].map((label) => label.textContent.trim());
  return at.getAttribute('aria-label') ?? (labels.length > 0 ? labels.join(' ') : at.textContent.trim());
})()`;

const MAX_TABS = 120;

/** Presses Tab until the focus is on what has this name. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = [];
  for (let at = 0; at < MAX_TABS; at++) {
    await page.keyboard.press('Tab');
    const focused = String(await page.evaluate(FOCUSED));
    if (typeof name === 'string' ? focused === name : name.test(focused)) return;
    passed.push(focused.slice(0, 40));
  }
  expect.fail(`Tab never came to ${name}; it passed ${passed.join(' | ')}`);
}

/** Empties the field with the focus and types. */
export async function retype(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

export async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
}

export const chooseFile = (page: Page, path: string): Promise<void> =>
  page.getByLabel('Drop a file here, or choose one').setInputFiles(path);

export const startButton = (page: Page) => page.getByRole('button', { name: 'Generate table' });

export const openAdvanced = (page: Page): Promise<void> => page.getByText('Advanced', { exact: true }).click();

/** Few rows and draws: what is tested is the page. */
export async function chooseLittle(page: Page, rows: number): Promise<void> {
  await openAdvanced(page);
  await page.getByLabel('Rows to generate').fill(String(rows));
  await page.getByLabel('Draws').fill('100');
  await page.getByLabel('Tuning steps').fill('100');
}

/** Counts clicks, layout shifts and the largest paint from here on, for `vitalsOf`. */
export async function observe(page: Page): Promise<void> {
  await page.addInitScript(`(() => {
    window.vitals = { clicks: 0, shift: 0, moved: [], paintMs: 0 };
    addEventListener('click', ({ isTrusted }) => { if (isTrusted) window.vitals.clicks++; }, true);
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries()) {
        if (hadRecentInput) continue;
        window.vitals.shift += value;
        window.vitals.moved.push(...sources.map(({ node }) => node?.nodeName + ' ' + (node?.className ?? '')));
      }
    }).observe({ type: 'layout-shift', buffered: true });
    new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntries()) window.vitals.paintMs = startTime;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
  })()`);
}

const vitalsSchema = z.object({
  clicks: z.number(),
  shift: z.number(),
  moved: z.array(z.string()),
  paintMs: z.number(),
});

/** Since the page was loaded; the layout shifts since they were asked for last. */
export async function vitalsOf(page: Page): Promise<z.infer<typeof vitalsSchema>> {
  const found = vitalsSchema.parse(await page.evaluate('window.vitals'));
  await page.evaluate('Object.assign(window.vitals, { shift: 0, moved: [] })');
  return found;
}

/** What axe finds on this view, and what moved on it by itself: by more than a good page may. */
export async function faultsOfView(page: Page): Promise<string[]> {
  const { shift, moved } = await vitalsOf(page);
  return [...(await faultsOf(page)), ...(shift > MAX_SHIFT ? [`moved by ${shift}: ${moved.join(', ')}`] : [])];
}

const MAX_SHIFT = 0.05;

export const finished = (page: Page, timeout: number): Promise<void> =>
  page.getByRole('heading', { name: 'How it was made' }).waitFor({ timeout });
