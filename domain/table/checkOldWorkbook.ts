import { checkRecords } from './checkRecords.ts';
import { type CompoundFile, compoundFile } from './compoundFile.ts';
import { unsupported } from './sniff.ts';
import { damaged, protectedByPassword } from './workbookLimits.ts';

/** Other files of this kind, by the name of a stream that only they have. */
const FOREIGN = [
  ['WordDocument', 'a Word document'],
  ['PowerPoint Document', 'a PowerPoint presentation'],
  ['VisioDocument', 'a Visio drawing'],
  ['__properties_version1.0', 'an Outlook message'],
] as const;

/**
 * The stream of records of an .xls workbook, without those that a table does not need. Refuses another kind of compound file
 * (`unsupported_file_type`), and one that is encrypted, damaged or more than can be read (`parse_error`).
 */
export function checkOldWorkbook(bytes: Uint8Array): Uint8Array {
  const file = compoundFile(bytes);
  if (!file) throw damaged();
  if (file.names.includes('EncryptedPackage')) throw protectedByPassword();
  const records = file.stream('Workbook') ?? file.stream('Book');
  if (!records) throw noWorkbook(file);
  if (!checkRecords(records)) throw damaged();
  return records;
}

function noWorkbook({ names }: CompoundFile) {
  if (names.some((name) => /^(work)?book$/i.test(name))) return damaged();
  const foreign = FOREIGN.find(([name]) => names.includes(name));
  return foreign ? unsupported(foreign[1], 'Save the table as .xlsx or CSV and upload that.') : damaged();
}
