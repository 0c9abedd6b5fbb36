import type { FileFormat } from '../contract/problems.ts';
import type { Say } from './say.ts';
import { wordsFor } from './wording.ts';

const REMEDIES = {
  unpack: (say: Say) => `Unpack it ${say.andUse('the table inside')}`,
  export: (say: Say) => `Export the table as CSV ${say.andUse('that')}`,
  save: (say: Say) => `Save the table as .xlsx or CSV ${say.andUse('that')}`,
  table: (say: Say) => `${say.give} the table itself, as CSV`,
};

type FormatWords = { name: string; remedy: keyof typeof REMEDIES };
const format = (remedy: FormatWords['remedy']) => (name: string) => ({ name, remedy });
const [toUnpack, toExport, toSave, toReplace] = [format('unpack'), format('export'), format('save'), format('table')];

const FORMATS: Readonly<Record<FileFormat, FormatWords>> = {
  gzip: toUnpack('a gzip archive'),
  bzip2: toUnpack('a bzip2 archive'),
  xz: toUnpack('an xz archive'),
  zstd: toUnpack('a zstd archive'),
  '7z': toUnpack('a 7z archive'),
  rar: toUnpack('a RAR archive'),
  tar: toUnpack('a tar archive'),
  zip: toUnpack('a zip archive with no workbook in it'),
  pdf: toExport('a PDF document'),
  rtf: toExport('a rich text document'),
  html: toSave('an HTML page'),
  xml: toExport('an XML document'),
  json: toExport('a JSON document'),
  word: toSave('a Word document'),
  powerpoint: toSave('a PowerPoint presentation'),
  visio: toSave('a Visio drawing'),
  outlook: toSave('an Outlook message'),
  parquet: toExport('a Parquet file'),
  arrow: toExport('an Arrow file'),
  sqlite: toExport('a SQLite database'),
  hdf5: toExport('an HDF5 file'),
  spss: toExport('an SPSS file'),
  stata: toExport('a Stata file'),
  xlsb: toSave('a binary Excel workbook (.xlsb)'),
  opendocument: toSave('an OpenDocument file'),
  numbers: toSave('a Numbers document'),
  png: toReplace('a PNG image'),
  jpeg: toReplace('a JPEG image'),
};

export function foreignText(name: string, say: Say): string {
  const known = wordsFor(FORMATS, name) ?? toExport(name);
  return `The file is ${known.name}, not a CSV file or an Excel workbook. ${REMEDIES[known.remedy](say)}.`;
}
