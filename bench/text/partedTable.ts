/** A shared table with a column of text, its rows of distinct texts in two parts: to learn from, and a random tenth held out. */
import { readTextBaseFiles } from '../../adapters/local/fileObjectStore.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { openEngine } from '../../packages/numerics/tensor/engines/openEngine.ts';
import { takeRows } from '../../packages/synthesis/metrics/columns.ts';
import type { ModelTable, TextResources } from '../../packages/synthesis/models/model.ts';
import { isBaseFile, readTextBase } from '../../packages/synthesis/models/text/base/readTextBase.ts';
import { readSharedTable } from '../support/sharedTables.ts';

/** The engine, and the base that TEXT_BASE names, if any. */
export async function openResources(): Promise<TextResources> {
  const path = process.env.TEXT_BASE;
  const files = path ? await readTextBaseFiles(path, isBaseFile) : undefined;
  return { engine: await openEngine('auto'), base: files ? readTextBase(files) : null, baseProblem: null };
}

/** The shared table, and the columns that tell of the row. */
export function readCase(folder: string, name: string): { table: ModelTable; given: string[] } {
  const { table, roles } = readSharedTable(folder, name);
  return {
    table,
    given: [...roles.categorical, ...roles.continuous, ...(roles.target === null ? [] : [roles.target])],
  };
}

/** Rows of distinct texts, a random tenth of them apart. */
export function parted(table: ModelTable, column: string): { training: ModelTable; heldOut: ModelTable } {
  const own = table.columns.get(column);
  const seen = new Set<string>();
  const rows = Array.from({ length: table.rows }, (_, row) => row).filter((row) => {
    const text = own?.kind === 'text' ? own.values[row] : null;
    if (!text || seen.has(text)) return false;
    seen.add(text);
    return true;
  });
  const random = createStream(1, 'held out of the bench');
  const isHeld = rows.map(() => random.uniform() < 0.1);
  return {
    training: takeRows(table, Int32Array.from(rows.filter((_, k) => !isHeld[k]))),
    heldOut: takeRows(table, Int32Array.from(rows.filter((_, k) => isHeld[k]))),
  };
}
