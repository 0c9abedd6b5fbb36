import type { FormalPrivacy } from '../../../contract/privacy.ts';
import type { SharedReport } from '../../../contract/report.ts';
import { clip, decimal } from '../../../words/format.ts';
import { MEASURES } from '../../../words/report.ts';
import { counted, listed, percent, quoted } from '../../../words/wording.ts';
import { overlaid } from './charts.ts';
import { drawSvg, escaped, paragraph, section, table, wideTable } from './markup.ts';
import { type PagePart, renderParts } from './renderParts.ts';
import { settingsSection } from './renderReport.ts';
import { gradesPart, hasReceipt, identityTable } from './summaryPart.ts';
import { wholePage } from './wholePage.ts';

const PARTS: readonly PagePart<SharedReport>[] = [
  ['summary', 'In short', ({ judgements }) => section('summary', 'In short', gradesPart(judgements))],
  ['promise', 'Promise', promiseSection],
  ['identity', 'Identity', (report) => section('identity', 'Identity', identityTable(report) + notUsed(report))],
  ['columns', 'Columns', columnsSection],
  ['associations', 'Associations', associationsSection],
  ['settings', 'Request', settingsSection],
];

/** `yieldToEventLoop` throws if the job must stop. */
export async function renderSharedReport(report: SharedReport, yieldToEventLoop: () => Promise<void>): Promise<string> {
  const parts = await renderParts(PARTS, report, yieldToEventLoop);
  const { rows, file_name, made_at, metrics, job_id, judgements } = report;
  const foot = `May be handed on. Synthetic table from ${clip(file_name, 60)}${hasReceipt(job_id) ? `, job ${job_id}` : ''}`;
  const lead = `${counted(rows.synthetic, 'synthetic row')}, ${counted(metrics.columns.length, 'column')}; generated from ${file_name} on ${made_at.replace('T', ' at ').slice(0, 19)} UTC.`;
  return wholePage({
    title: `Synthetic table: ${file_name} (for sharing)`,
    foot,
    sheetFoot: foot,
    body: `<h1>${escaped(`Synthetic table from ${file_name}`)}</h1>
<div class="banner shared" role="note"><p><strong>This report may be handed on.</strong></p>${paragraph(SHARED)}</div>
${paragraph(lead, 'lead')}
${judgements.map(({ headline, grade }) => paragraph(headline, `overall ${grade}`)).join('')}
${parts}`,
  });
}

const SHARED =
  'Everything in it follows from the differentially private measurements, the request and the names of the file and its columns. Nothing compares with real rows: how close the table is to them only the report for the owner says.';

function promiseSection({ metrics: { formal_privacy } }: SharedReport): string {
  if (!formal_privacy) return '';
  return section(
    'promise',
    'What is promised',
    paragraph(MEANING, 'lead') + table([], factsOf(formal_privacy), 'facts'),
  );
}

const MEANING =
  'With or without any one row of the real table, each set of possible releases has nearly the same probability: at most e^ε times that of the other table, plus δ. The release is the table, further rows of the same measurements, its receipt and this report.';

function factsOf(promise: FormalPrivacy): [string, string][] {
  const { unit, epsilon, delta, rho, spent, columns_measured, pairs_measured, expected_total_variation } = promise;
  return [
    ['unit', `one ${unit} more or less; a person with several rows is protected less`],
    ['ε', String(epsilon)],
    ['δ', String(delta)],
    ['ρ (zCDP), by which tables of one file add up', decimal(rho)],
    ['ρ spent on measuring for this table', decimal(spent)],
    ['measured with noise', `${counted(columns_measured, 'column')}, ${counted(pairs_measured, 'pair')} of columns`],
    [
      'total variation that noise alone is expected to add, 0 to 1',
      `${decimal(expected_total_variation.columns)} in single columns, ${decimal(expected_total_variation.pairs)} in pairs`,
    ],
    ['SHA-256 of the measurements', promise.measurements_sha256],
  ];
}

function notUsed({ columns_not_used: names }: SharedReport): string {
  return names.length === 0
    ? paragraph('Every column of the real table was used.')
    : paragraph(`Columns left out: ${listed(names.map(quoted), 50)}.`);
}

const MAX_DRAWN = 60;

async function columnsSection({ columns, columns_left_out, request }: SharedReport): Promise<string> {
  const blocks: string[] = [];
  for (const column of columns.slice(0, MAX_DRAWN))
    blocks.push(await columnBlock(column, domainText(request, column.name)));
  const left = Math.max(0, columns.length - MAX_DRAWN) + columns_left_out;
  const more = left > 0 ? ` ${counted(left, 'more column')} not drawn.` : '';
  const said = `Shares of synthetic rows, and the domain that the request gave without looking at the file.${more}`;
  return section('columns', 'Columns', `${paragraph(said, 'lead')}<div class="columns">${blocks.join('')}</div>`);
}

async function columnBlock(column: SharedReport['columns'][number], domain: string): Promise<string> {
  const { name, role, axis, synthetic, missing_synthetic, reason } = column;
  const facts = [role, domain, ...(missing_synthetic > 0 ? [`missing: ${percent(missing_synthetic)}`] : [])];
  const head = `<h3>${escaped(name)}</h3>${paragraph(facts.filter((fact) => fact !== '').join('; '), 'lead')}`;
  const drawing = axis
    ? `<figure>${await drawSvg(overlaid({ axis, real: null, synthetic }), `${name}: shares of synthetic rows`)}</figure>`
    : '';
  return `<div class="column">${head}${drawing}${reason ? paragraph(reason) : ''}</div>`;
}

const MAX_LEVELS = 12;

function domainText({ domain }: SharedReport['request'], name: string): string {
  const own = domain && Object.hasOwn(domain, name) ? domain[name] : undefined;
  if (!own) return '';
  if ('levels' in own) return `domain: ${listed(own.levels.map(quoted), MAX_LEVELS)}`;
  const decimals = own.decimals > 0 ? `, ${counted(own.decimals, 'decimal')}` : '';
  return `domain: ${own.min} to ${own.max}${decimals}`;
}

function associationsSection({ associations }: SharedReport): string {
  if (associations.length === 0) return '';
  const rows = associations.map(({ columns: [a, b], measure, synthetic }) => [
    `${a}, ${b}`,
    decimal(synthetic),
    MEASURES[measure],
  ]);
  const said = paragraph('The strongest associations of the synthetic rows; 0 is none, 1 or −1 is a function.', 'lead');
  return section(
    'associations',
    'Associations',
    said + wideTable('Associations', ['columns', 'strength', 'measure'], rows, 'numbers'),
  );
}
