/** The bundle for desktop assistants: a file beside the function's own, made when the function was bundled. */
import { readFile } from 'node:fs/promises';
import { BUNDLE_FILE } from '../../mcp/bundleFile.ts';

export const bundleFile = async (): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await readFile(new URL(`./${BUNDLE_FILE}`, import.meta.url)));
