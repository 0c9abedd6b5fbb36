/** What came out of a service, by the place where it stood. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export class Places {
  readonly #bodies = new Map<string, Uint8Array[]>();

  add(place: string, body: string | Uint8Array): void {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.#bodies.set(place, [...(this.#bodies.get(place) ?? []), bytes]);
  }

  /** Every file below a folder whose path there is `wanted`, under the place that `placeOf` gives. */
  addFolder(folder: string, placeOf: (path: string) => string | undefined): void {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const place = entry.isFile() ? placeOf(path.slice(folder.length + 1)) : undefined;
      if (place !== undefined) this.add(place, readFileSync(path));
    }
  }

  /** In the order in which they were first named. */
  [Symbol.iterator](): IterableIterator<[place: string, bodies: Uint8Array[]]> {
    return this.#bodies.entries();
  }
}
