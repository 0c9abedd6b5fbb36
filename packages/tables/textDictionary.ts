/** The distinct texts of a column, each with a code: the order of first appearance. */

/** V8 keeps a part of a string of at least this length as a view of the whole, which then stays in memory. */
const SHORTEST_VIEW = 13;

/** A copy of the text that shares no memory with the buffer that it was cut from. */
export function ownText(text: string): string {
  return text.length < SHORTEST_VIEW ? text : ` ${text}`.slice(1);
}

/**
 * Where hashing begins, fresh in each process, so that no file can be made whose texts all collide. Codes depend on the
 * texts alone.
 */
const HASH_START = globalThis.crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
const FNV_PRIME = 0x01000193;

/** Texts to codes 0, 1, 2 …, by open addressing: faster than a Map for cells just cut from a buffer. */
export class TextDictionary {
  readonly texts: string[] = [];
  private hashes = new Int32Array(8);
  /** Codes + 1; 0 is a free slot. A power of two in length, at least twice the number of texts. */
  private slots = new Int32Array(16);

  /** The text's code. A new text is copied. */
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
