/** Texts of the training rows that must not come out again: those that stand there fewer than five times. */

/** From this many rows on a text belongs to nobody in particular ("Thank you!"). */
export const COMMON_ROWS = 5;

/** 53 bits of two FNV-1a hashes (Fowler, Noll and Vo) over UTF-16 units: the set need not keep the texts themselves. */
export function hashText(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x01000193) + (low >>> 15);
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}

export function protectedTexts(texts: readonly string[]): Set<number> {
  const counts = new Map<number, number>();
  for (const text of texts) {
    const hash = hashText(text);
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count < COMMON_ROWS).map(([hash]) => hash));
}
