const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;
const SEED_BITS = 53;

/** A seed (0 … 2^53 - 1) from an identifier that cannot be guessed: its 64-bit FNV-1a hash, folded to 53 bits. */
export function seedFrom(id: string): number {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(id)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  }
  return Number(BigInt.asUintN(SEED_BITS, hash ^ (hash >> BigInt(SEED_BITS))));
}
