import { worstGrade } from '../../../contract/grades.ts';
import { RECEIPT_KEY_MARK, type ReportData, WITHOUT_JOB } from '../../../contract/report.ts';
import { FIGURE_HEAD, figureCells, keyFigures } from '../../../words/figures.ts';
import { bytes } from '../../../words/format.ts';
import { AREAS, GRADES, NOT_USED, overallSentence } from '../../../words/report.ts';
import { counted } from '../../../words/wording.ts';
import { escaped, paragraph, section, table, wideTable } from './markup.ts';

export function overallPart({ judgements, metrics }: ReportData): string {
  const isWithheld = metrics.release?.outcome === 'withheld';
  return paragraph(overallSentence(judgements, { isWithheld }), `overall ${worstGrade(judgements)}`);
}

export function gradesPart(judgements: ReportData['judgements']): string {
  const grades = judgements.map(({ area, grade, headline, sentences, next }) => {
    const said = [...sentences, ...next.map(({ text }) => text)].map((sentence) => paragraph(sentence));
    return `<div class="grade ${grade}"><p><span class="word">${AREAS[area]}: ${GRADES[grade]}</span></p><p><strong>${escaped(headline)}</strong></p>${said.join('')}</div>`;
  });
  return `<div class="grades">${grades.join('')}</div>`;
}

export function summarySection(report: ReportData): string {
  const { judgements, metrics } = report;
  const on = metrics.measured_on ? paragraph(metrics.measured_on.summary, 'lead') : '';
  return section('summary', 'In short', `${on}${gradesPart(judgements)}${keyFiguresTable(report)}`);
}

function keyFiguresTable({ metrics }: ReportData): string {
  const rows = keyFigures(metrics).map(figureCells);
  if (rows.length === 0) return '';
  return `<h3>Key figures</h3>${wideTable('Key figures', [...FIGURE_HEAD], rows, 'numbers')}`;
}

type Identified = Pick<ReportData, 'job_id' | 'made_at' | 'file_name' | 'software' | 'metrics' | 'identity'> & {
  /** Omitted from reports for sharing. */
  rows: { real?: number; synthetic: number };
};

export const identitySection = (report: ReportData): string =>
  section('identity', 'Identity', identityTable(report) + notUsed(report));

export function identityTable(report: Identified): string {
  const { job_id, made_at, file_name, rows, software, metrics } = report;
  const realRows = rows.real === undefined ? '' : `, ${counted(rows.real, 'row')}`;
  const facts: [string, string][] = [
    makerOf(job_id),
    ['made', escaped(`${made_at.replace('T', ' at ').slice(0, 19)} UTC`)],
    ['real table', escaped(`${file_name}${realRows}`)],
    ['synthetic table', escaped(`${counted(rows.synthetic, 'row')}, ${counted(metrics.columns.length, 'column')}`)],
    ...hashesOf(report),
    ['seed', code(String(metrics.seed))],
    ['software', escaped(softwareText(software))],
  ];
  const lines = facts.map(([name, value]) => `<tr><th scope="row">${escaped(name)}</th><td>${value}</td></tr>`);
  return `<table class="facts"><tbody>${lines.join('')}</tbody></table>`;
}

const code = (text: string): string => `<code>${escaped(text)}</code>`;

function makerOf(jobId: string): [string, string] {
  if (jobId === WITHOUT_JOB.made) return ['made by', 'library or command line, without a service: there is no receipt'];
  if (jobId === WITHOUT_JOB.compared) return ['made by', 'not known: this report compares two tables that were given'];
  return ['job', code(jobId)];
}

function hashesOf({ job_id, identity }: Pick<ReportData, 'job_id' | 'identity'>): [string, string][] {
  if (!identity) return [];
  const { input_commitment, output_sha256, output_bytes } = identity;
  const found: [string, string | null][] = [
    ['SHA-256 of salt and real table, as in the receipt', input_commitment && code(input_commitment)],
    [
      outputName(job_id),
      output_sha256 && `${code(output_sha256)}${output_bytes === null ? '' : escaped(`, ${bytes(output_bytes)}`)}`,
    ],
    ['key that signs the receipt', hasReceipt(job_id) ? `<code>${RECEIPT_KEY_MARK}</code>` : null],
  ];
  return found.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]]));
}

const outputName = (jobId: string): string => {
  if (jobId === WITHOUT_JOB.made) return 'SHA-256 of the synthetic table as CSV';
  return `SHA-256 of ${jobId === WITHOUT_JOB.compared ? 'the synthetic file' : 'synthetic_data.csv'}`;
};

/** True if a service made the table. */
export const hasReceipt = (jobId: string): boolean => !Object.values<string>(WITHOUT_JOB).includes(jobId);

const softwareText = ({ version, node, platform, processor, image }: ReportData['software']): string =>
  `synthetic-tables ${version}, Node ${node}, ${platform}, ${processor}${image ? `, image ${image}` : ''}`;

function notUsed({ columns_not_used: columns }: ReportData): string {
  if (columns === null) return '';
  if (columns.length === 0) return paragraph('Every column of the real table was used.');
  const rows = columns.map(({ name, kind }) => [name, kind, NOT_USED[kind]]);
  return `<h3>Columns left out</h3>${table(['column', 'kind', 'why'], rows)}`;
}
