/** The files that are taken as tables: their endings and size, and the encodings that text may have. */

export const UPLOAD = {
  /** A name has to end in one of them, in capitals or not. */
  extensions: ['.csv', '.tsv', '.xlsx', '.xls'],
  maxBytes: 50 * 2 ** 20,
} as const;

/** The ending of a file's name as far as it is known, in lower case. */
export const knownExtension = (fileName: string): (typeof UPLOAD.extensions)[number] | undefined =>
  UPLOAD.extensions.find((extension) => fileName.toLowerCase().endsWith(extension));

/**
 * By the names that browsers have for them. The first three are found by their byte order mark, UTF-8 without one too; the others
 * are read where they are asked for. The last is UTF-8 in which some bytes are Windows-1252, as where files of both were joined.
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

/** Other names of the same encodings ("latin1", "CP1252", "sjis") are known as browsers know them. */
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
