/**
 * Debian's Chromium, driven by playwright-core. Where it is not there and this process may install packages, it is
 * installed; where it cannot be had, the suites that need it do not run and say so.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium'];
const INSTALL_MS = 240_000;

const find = () => [process.env.CHROMIUM ?? '', ...PLACES].find((path) => path !== '' && existsSync(path));

/** By the system's package manager, where this process is its administrator. */
function install(): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  // Suites in other processes may be installing it too: each waits for the other's lock.
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=200', ...args], {
      timeout: INSTALL_MS,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  if (apt('install', '-y', '--no-install-recommends', 'chromium').status === 0) return;
  apt('update');
  apt('install', '-y', '--no-install-recommends', 'chromium');
}

function findOrInstall(): string | undefined {
  const found = find();
  if (found !== undefined) return found;
  install();
  return find();
}

export interface InBrowser {
  /** A page of its own, with nothing remembered; what its console said goes to `said`. */
  open(options: BrowserContextOptions): Promise<{ page: Page; said: string[] }>;
}

/** A suite in a real browser, for which it has one browser. */
export function describeInBrowser(title: string, suite: (browser: InBrowser) => void): void {
  const executablePath = findOrInstall();
  describe.runIf(executablePath !== undefined)(`${title} (needs Chromium)`, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
    }, 120_000);
    afterAll(() => browser?.close());
    suite({
      async open(options) {
        const context = await browser.newContext(options);
        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        const said: string[] = [];
        page.on('console', (message) => {
          if (['error', 'warning'].includes(message.type())) said.push(message.text());
        });
        page.on('pageerror', (error) => said.push(String(error)));
        return { page, said };
      },
    });
  });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with the page as it stands, by rule and element; and whether it can be scrolled sideways. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found: unknown = await page.evaluate(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`,
  );
  const beyond: unknown = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(Array.isArray(found)).toBe(true);
  return [
    ...(Array.isArray(found) ? found.map(String) : []),
    ...(beyond === 0 ? [] : [`wider than the screen by ${beyond}`]),
  ];
}
