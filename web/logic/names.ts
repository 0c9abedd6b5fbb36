const SERVICE = 'Synthetic tables';

/** "titanic.csv: result – Synthetic tables" */
export const titleOf = (view: string, table?: string): string =>
  `${table === undefined ? '' : `${table}: `}${table === undefined ? view : view.toLowerCase()} – ${SERVICE}`;

/** "titanic" of "titanic.csv". */
const stemOf = (fileName: string): string =>
  fileName
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[/\\:*?"<>|\p{Cc}]/gu, '_')
    .trim() || 'table';

/** "titanic-synthetic.csv", "titanic-report.html". */
export function savedAs(
  kind: 'synthetic' | 'report' | 'report-for-sharing' | 'receipt',
  ending: string,
  fileName: string | undefined,
): string {
  if (fileName !== undefined) return `${stemOf(fileName)}-${kind}.${ending}`;
  return `${kind === 'synthetic' ? 'synthetic_data' : kind}.${ending}`;
}
