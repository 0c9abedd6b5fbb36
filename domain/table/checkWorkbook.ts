import { checkSheet } from './checkSheet.ts';
import { unsupported } from './sniff.ts';
import { storedZip } from './storedZip.ts';
import {
  damaged,
  MOST_ENTRIES,
  MOST_RATIO,
  MOST_UNPACKED_BYTES,
  packedTooTightly,
  SMALL_PART_BYTES,
  tooManyEntries,
  unpacksToTooMuch,
} from './workbookLimits.ts';
import { unpack, type ZipEntry, zipEntries } from './zipEntries.ts';

/** The part that every workbook has. */
const WORKBOOK = /^\/?xl\/workbook\d*\.xml$/i;
/** Parts that tell of the table: not those of drawings, comments, links, charts, or of the program. */
const OF_THE_TABLE = /^\/?(\[content_types\]\.xml|_rels\/\.rels|xl\/.+\.(xml|rels))$/i;
const BESIDE_THE_TABLE =
  /\/(worksheets\/_rels|chartsheets|charts|comments\d*\.xml$|comments|threadedcomments|persons|drawings|ctrlprops|embeddings|externallinks|media|pivotcache|pivottables|printersettings|querytables|slicers?|slicercaches|tables|theme|customxml|calcchain\.xml$|connections\.xml$)/i;
const SHEET = /\/worksheets\/[^/]+\.xml$/i;
const TEXTS = /\/sharedstrings\d*\.xml$/i;

/** Archives that people take for a workbook, by a part that only they have. */
const FOREIGN = [
  [/^\/?xl\/workbook\d*\.bin$/i, 'a binary Excel workbook (.xlsb)', 'Save it as .xlsx or CSV and upload that.'],
  [/^content\.xml$/i, 'an OpenDocument file', 'Save the table as .xlsx or CSV and upload that.'],
  [/^word\//i, 'a Word document', 'Save the table as .xlsx or CSV and upload that.'],
  [/^ppt\//i, 'a PowerPoint presentation', 'Save the table as .xlsx or CSV and upload that.'],
  [/^index\/document\.iwa$/i, 'a Numbers document', 'Export it as .xlsx or CSV and upload that.'],
] as const;

/**
 * The workbook as an archive without compression, of the parts that tell of the table only. Refuses an archive that is no
 * workbook (`unsupported_file_type`), and one that is damaged or more than can be read (`parse_error`): by the sizes that
 * it declares before anything is unpacked, by the first byte beyond them while it is.
 */
export async function checkWorkbook(bytes: Uint8Array): Promise<Uint8Array> {
  const entries = zipEntries(bytes);
  if (!entries) throw damaged();
  if (!entries.some(({ name }) => WORKBOOK.test(name))) throw noWorkbook(entries);
  if (entries.length > MOST_ENTRIES) throw tooManyEntries(entries.length);
  checkSizes(entries);
  const parts = entries.filter(({ name }) => OF_THE_TABLE.test(name) && !BESIDE_THE_TABLE.test(name));
  const { archive, rooms } = storedZip(parts.map(({ name, declaredBytes }) => ({ name, bytes: declaredBytes })));
  for (const [index, entry] of parts.entries()) {
    const room = rooms[index]!;
    if (!(await unpack(bytes, entry, room))) throw damaged();
    if (SHEET.test(entry.name) || TEXTS.test(entry.name)) checkSheet(room);
  }
  return archive;
}

function checkSizes(entries: readonly ZipEntry[]): void {
  const declared = entries.reduce((sum, entry) => sum + entry.declaredBytes, 0);
  if (declared > MOST_UNPACKED_BYTES) throw unpacksToTooMuch();
  for (const { name, declaredBytes, packedBytes } of entries) {
    const ratio = declaredBytes / Math.max(1, packedBytes);
    if (declaredBytes > SMALL_PART_BYTES && ratio > MOST_RATIO) throw packedTooTightly(name, ratio);
  }
}

function noWorkbook(entries: readonly ZipEntry[]) {
  const foreign = FOREIGN.find(([part]) => entries.some(({ name }) => part.test(name)));
  if (foreign) return unsupported(foreign[1], foreign[2]);
  return unsupported('a zip archive with no workbook in it', 'Unpack it and upload the table inside.');
}
