import { VERSION } from '../packages/contract/version.ts';

let made: Promise<Uint8Array<ArrayBuffer>> | undefined;

/** Retries after a failure. */
export function mcpBundle(): Promise<Uint8Array<ArrayBuffer>> {
  made ??= make().catch((error: unknown) => {
    made = undefined;
    throw error;
  });
  return made;
}

/** esbuild is slow to load and rarely needed. */
async function make(): Promise<Uint8Array<ArrayBuffer>> {
  const { pack } = await import('../mcp/pack.ts');
  return new Uint8Array(await pack(VERSION));
}
