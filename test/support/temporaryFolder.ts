import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A fresh folder, and what removes it. */
export function makeFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'synthetic-tables-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** A fresh folder for the running test, removed when it ends. */
export function temporaryFolder(): string {
  const { path, remove } = makeFolder();
  onTestFinished(remove);
  return path;
}
