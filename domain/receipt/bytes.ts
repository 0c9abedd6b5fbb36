/** Bytes as text and back. */

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** Undefined where the text is no base64. For short texts. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
