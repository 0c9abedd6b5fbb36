import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export const NOTICES_FILE = 'NOTICES.txt';

const ROOT = join(import.meta.dirname, '..');
const NAME = /node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)[/\\](?!.*node_modules)/;
const TEXT = /^(licen[cs]e|notice|copying)/i;
const RULE = '-'.repeat(80);

const manifestSchema = z.object({ name: z.string(), version: z.string(), license: z.string().optional() });

export function bundledFolders(inputs: readonly string[]): string[] {
  const folders = inputs.flatMap((path) => {
    const found = NAME.exec(path);
    return found ? [path.slice(path.indexOf('node_modules'), found.index + found[0].length - 1)] : [];
  });
  return [...new Set(folders)].sort();
}

/** Lists each text once, with its packages. Throws Error if a package has no licence. */
export function noticesOf(folders: readonly string[]): string {
  const askers = new Map<string, string[]>();
  for (const folder of folders) {
    const { title, text } = noticeOf(join(ROOT, folder));
    askers.set(text, [...(askers.get(text) ?? []), title]);
  }
  return [...askers].map(([text, titles]) => `${titles.join('\n')}\n\n${text}\n`).join(`\n${RULE}\n\n`);
}

function noticeOf(folder: string): { title: string; text: string } {
  const { name, version, license } = manifestSchema.parse(
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
  );
  const texts = readdirSync(folder).filter((file) => TEXT.test(file));
  if (license === undefined && texts.length === 0) throw new Error(`The package ${name} names no licence.`);
  const text = texts.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  return { title: `${name} ${version}`, text: text || `Licence: ${license}` };
}
