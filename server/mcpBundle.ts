/** Built on first use; the package has it as a file (`scripts/build.ts`). */
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

/** Loads esbuild late, since it is slow and rarely needed. */
async function make(): Promise<Uint8Array<ArrayBuffer>> {
  const { pack } = await import('../mcp/pack.ts');
  return new Uint8Array(await pack(VERSION));
}
