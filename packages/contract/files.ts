export const UPLOAD = {
  /** Case-insensitive. */
  extensions: ['.csv', '.tsv', '.xlsx', '.xls'],
  maxBytes: 50 * 2 ** 20,
} as const;

/** Returns the known extension in lower case. */
export const knownExtension = (fileName: string): (typeof UPLOAD.extensions)[number] | undefined =>
  UPLOAD.extensions.find((extension) => fileName.toLowerCase().endsWith(extension));

/**
 * WHATWG names. The first three are detected; the others must be requested. The last is UTF-8 mixed with Windows-1252
 * bytes.
 */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'iso-8859-2',
  'iso-8859-15',
  'macintosh',
  'shift_jis',
  'utf-8-windows-1252',
] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Accepts aliases of browsers ("latin1", "CP1252", "sjis"). */
export function encodingOf(name: string): Encoding | undefined {
  const given = name.trim().toLowerCase();
  return ENCODINGS.find((encoding) => encoding === given) ?? ENCODINGS.find((encoding) => encoding === labelOf(given));
}

function labelOf(name: string): string | undefined {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}
