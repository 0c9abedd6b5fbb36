/** V8 stores longer substrings as views that keep the whole string alive. */
const SHORTEST_VIEW = 13;

/** Copies the text to free its source. */
export function ownText(text: string): string {
  return text.length < SHORTEST_VIEW ? text : ` ${text}`.slice(1);
}

/** Random seed against forced collisions. Codes do not depend on it. */
const HASH_START = globalThis.crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
const FNV_PRIME = 0x01000193;

/** Faster than a Map for fresh substrings. */
export class TextDictionary {
  readonly texts: string[] = [];
  private hashes = new Int32Array(8);
  /** Codes + 1; 0 is free. At most half full. */
  private slots = new Int32Array(16);

  encode(text: string): number {
    const hash = hashText(text);
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (let code = this.slots[slot]!; code !== 0; code = this.slots[slot]!) {
      if (this.hashes[code - 1] === hash && this.texts[code - 1] === text) return code - 1;
      slot = (slot + 1) & mask;
    }
    return this.insert(text, hash, slot);
  }

  private insert(text: string, hash: number, slot: number): number {
    const code = this.texts.length;
    this.texts.push(ownText(text));
    if (code === this.hashes.length) {
      const hashes = new Int32Array(2 * code);
      hashes.set(this.hashes);
      this.hashes = hashes;
    }
    this.hashes[code] = hash;
    this.slots[slot] = code + 1;
    if (2 * this.texts.length > this.slots.length) this.placeAgain();
    return code;
  }

  private placeAgain(): void {
    this.slots = new Int32Array(2 * this.slots.length);
    const mask = this.slots.length - 1;
    for (let code = 0; code < this.texts.length; code++) {
      let slot = this.hashes[code]! & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = code + 1;
    }
  }
}

function hashText(text: string): number {
  let hash = HASH_START;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hash ^ (hash >>> 15);
}
