/** Renders a report as a self-contained page. */

import { type ReportData, WITHOUT_JOB } from '../../../contract/report.ts';
import { FIGURE_HEAD, figureCells, namedFigures } from '../../../words/figures.ts';
import { clip, decimal } from '../../../words/format.ts';
import { OVER_ALL_ROWS } from '../../../words/report.ts';
import { counted } from '../../../words/wording.ts';
import { associationsSection } from './associationsPart.ts';
import { columnsSection, scoresSection } from './columnsPart.ts';
import { escaped, paragraph, section, table, wideTable } from './markup.ts';
import { modelSection, textsSection } from './modelPart.ts';
import { privacySection, reviewSection } from './privacyPart.ts';
import { type PagePart, renderParts } from './renderParts.ts';
import { sequencesSection } from './sequencesPart.ts';
import { hasReceipt, identitySection, overallPart, summarySection } from './summaryPart.ts';
import { wholePage } from './wholePage.ts';

const PARTS: readonly PagePart<ReportData>[] = [
  ['summary', 'In short', summarySection],
  ['identity', 'Identity', identitySection],
  ['scores', 'Scores', scoresSection],
  ['columns', 'Distributions', columnsSection],
  ['associations', 'Associations', associationsSection],
  ['sequences', 'Sequences', sequencesSection],
  ['privacy', 'Privacy', privacySection],
  ['model', 'Model', modelSection],
  ['texts', 'Texts', textsSection],
  ['figures', 'Metrics', figuresSection],
  ['notes', 'Notes', notesSection],
  ['settings', 'Request', settingsSection],
  ['review', 'Review', reviewSection],
];

/** `yieldToEventLoop` throws if the job must stop. */
export async function renderReport(report: ReportData, yieldToEventLoop: () => Promise<void>): Promise<string> {
  const parts = await renderParts(PARTS, report, yieldToEventLoop);
  const { rows, file_name, made_at, metrics, job_id } = report;
  const lead = `${counted(rows.synthetic, 'synthetic row')}, ${counted(metrics.columns.length, 'column')}; ${job_id === WITHOUT_JOB.compared ? 'compared with' : 'generated from'} ${counted(rows.real, 'row')} of ${file_name} on ${made_at.replace('T', ' at ').slice(0, 19)} UTC.`;
  const job = hasReceipt(job_id) ? `, job ${job_id}` : '';
  const foot = `Synthetic table from ${clip(file_name, 60)}${job}`;
  const isForOwner = metrics.formal_privacy !== undefined;
  return wholePage({
    title: `Synthetic table: ${file_name}`,
    foot: isForOwner ? `For the owner of the file alone. ${foot}` : foot,
    sheetFoot: foot,
    body: `<h1>${escaped(`Synthetic table from ${file_name}`)}</h1>
${isForOwner ? ownerBanner(job_id) : ''}
${paragraph(lead, 'lead')}
${overallPart(report)}
${parts}`,
  });
}

/** Real rows are compared without noise, so sharing breaks the guarantee. */
function ownerBanner(jobId: string): string {
  const other = hasReceipt(jobId)
    ? `GET /report/${jobId}?for=sharing (or "Download report for sharing" on the page) gives one that may be handed on.`
    : 'The library’s reportForSharing() and the command line’s --share-report write one that may be handed on.';
  return `<div class="banner" role="note"><p><strong>For the owner of the file alone. Do not hand this report on.</strong></p>${paragraph(
    `The table is differentially private; this report is not. It compares the table with real rows without noise: their number, shares and associations. ${other} Of this one, only the sheet "Review and decision" at the end may be handed on.`,
  )}</div>`;
}

function figuresSection({ metrics }: ReportData): string {
  const rows = namedFigures(metrics).map((named) => [
    ...figureCells(named),
    decimal(named.figure.independent),
    decimal(named.figure.swapped),
  ]);
  const head = [...FIGURE_HEAD, 'independent columns', '10 % swapped'];
  const numeric = Object.entries(metrics.numeric).map(([name, value]) => [
    name,
    typeof value === 'number' ? decimal(value) : (value ?? '–'),
  ]);
  const said = paragraph(
    'Three baselines for each metric: held-out real rows, columns drawn independently of each other, and real rows with 10 % of their cells swapped.',
    'lead',
  );
  const all = rows.length > 0 ? wideTable('All metrics', head, rows, 'numbers') : '';
  return section('figures', 'All metrics', said + all + paragraph(OVER_ALL_ROWS, 'lead') + table([], numeric));
}

function notesSection({ metrics }: ReportData): string {
  const list = metrics.notes.map((note) => `<li>${escaped(note)}</li>`).join('');
  return section('notes', 'Notes', list && `<ul class="notes">${list}</ul>`);
}

export function settingsSection({ request }: Pick<ReportData, 'request'>): string {
  const rows = Object.entries(request).map(([name, value]) => [name, settingText(value)]);
  return section('settings', 'Request', table([], rows, 'facts'));
}

function settingText(value: ReportData['request'][keyof ReportData['request']]): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '–';
  if (Array.isArray(value)) return value.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
