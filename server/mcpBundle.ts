/** The bundle for desktop assistants, made when it is first asked for; the package has it in a file (`scripts/build.ts`). */
import { VERSION } from '../packages/contract/version.ts';

let made: Promise<Uint8Array<ArrayBuffer>> | undefined;

/** A failure is not kept: the next one who asks has it tried again. */
export function mcpBundle(): Promise<Uint8Array<ArrayBuffer>> {
  made ??= make().catch((error: unknown) => {
    made = undefined;
    throw error;
  });
  return made;
}

/** esbuild takes long to load, and few processes are asked for the bundle. */
async function make(): Promise<Uint8Array<ArrayBuffer>> {
  const { pack } = await import('../mcp/pack.ts');
  return new Uint8Array(await pack(VERSION));
}
