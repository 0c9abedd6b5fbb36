/** The steps of a visitor at GET /, by mouse or by keyboard alone. */

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

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

/** Few rows and draws: what is tested is the page. */
export async function chooseLittle(page: Page, rows: number): Promise<void> {
  await page.getByLabel('Rows to generate').fill(String(rows));
  await page.getByLabel('Draws').fill('100');
  await page.getByLabel('Tuning steps').fill('100');
}

export const finished = (page: Page, timeout: number): Promise<void> =>
  page.getByRole('heading', { name: 'How it was made' }).waitFor({ timeout });
