/** A report as one page that asks nothing of anybody: no script, no font, no picture from elsewhere. */

import type { MeasuredFigure } from '../../../contract/metrics.ts';
import type { ReportData } from '../../../contract/report.ts';
import { decimal, interval } from '../../../words/format.ts';
import { figureName } from '../../../words/report.ts';
import { counted } from '../../../words/wording.ts';
import { escaped, paragraph, section, table } from './markup.ts';
import {
  associationsSection,
  columnsSection,
  modelSection,
  privacySection,
  summarySection,
  textsSection,
} from './sections.ts';

const LINKS: [string, string][] = [
  ['summary', 'Summary'],
  ['columns', 'Columns'],
  ['associations', 'Associations'],
  ['privacy', 'Distances'],
  ['model', 'Model'],
  ['texts', 'Texts'],
  ['figures', 'Metrics'],
  ['notes', 'Notes'],
  ['settings', 'Settings'],
];

/** `yieldToEventLoop` is awaited between the parts, and throws where the job is to stop. */
export async function renderReport(report: ReportData, yieldToEventLoop: () => Promise<void>): Promise<string> {
  const parts: string[] = [];
  for (const part of [
    summarySection,
    columnsSection,
    associationsSection,
    privacySection,
    modelSection,
    textsSection,
    figuresSection,
    settingsSection,
  ]) {
    parts.push(await part(report));
    await yieldToEventLoop();
  }
  const body = parts.join('\n');
  const links = LINKS.filter(([id]) => body.includes(`<section id="${id}">`)).map(
    ([id, word]) => `<a href="#${id}">${word}</a>`,
  );
  const { rows, file_name, made_at, columns } = report;
  const lead = `${counted(rows.synthetic, 'synthetic row')}, ${counted(columns.length + report.columns_left_out, 'column')}; generated from ${counted(rows.real, 'row')} of ${file_name} on ${made_at.replace('T', ' at ').slice(0, 19)} UTC.`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(`Synthetic table: ${file_name}`)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(`Synthetic table from ${file_name}`)}</h1>
${paragraph(lead, 'lead')}
<nav>${links.join('')}</nav>
${body}
</main>
</body>
</html>
`;
}

/** The page's style: for a screen and for paper, with no font, picture or script from anywhere. */
const STYLE = `
:root { color-scheme: light; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1.25rem; font: 15px/1.5 system-ui, sans-serif; color: #1b1b1b; background: #fff; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; padding-bottom: .2rem; border-bottom: 1px solid #ccc; }
h3 { font-size: 1rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
p { margin: .35rem 0; }
.lead { color: #444; }
nav a { margin-right: .9rem; color: #1b1b1b; }
.grades { display: grid; gap: .75rem; margin-top: 1rem; }
.grade { border: 1px solid #bbb; border-left-width: .5rem; padding: .6rem .9rem; break-inside: avoid; }
.grade.good { border-left-color: #2f7d4f; }
.grade.mixed { border-left-color: #c98a00; border-left-style: double; }
.grade.poor { border-left-color: #a3162e; border-left-style: dashed; }
.grade .word { font-weight: 700; text-transform: uppercase; font-size: .8rem; letter-spacing: .04em; }
.columns { display: grid; grid-template-columns: repeat(auto-fill, minmax(24rem, 1fr)); gap: 1rem 1.5rem; }
.column { break-inside: avoid; border-top: 1px solid #ddd; padding-top: .5rem; min-width: 0; }
figure { margin: .5rem 0 1rem; break-inside: avoid; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; display: block; }
figcaption { font-size: .85rem; color: #444; }
table { border-collapse: collapse; font-size: .85rem; margin: .5rem 0 1rem; }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #ddd; font-weight: normal; overflow-wrap: anywhere; }
thead th { font-weight: 600; }
td { font-variant-numeric: tabular-nums; }
.wide { width: 100%; font-size: .8rem; }
.wide td:nth-child(3), .wide td:last-child { white-space: nowrap; }
blockquote { margin: .4rem 0; padding: .3rem .8rem; border-left: 3px solid #bbb; white-space: pre-wrap; overflow-wrap: anywhere; }
.key, .grade { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
.key { display: inline-block; width: 1.4rem; height: .7rem; margin-right: .35rem; vertical-align: baseline; }
.key.real { background: #a9b4c2; border: 1px solid #5c6a7a; }
.key.made { height: 0; border-top: 3px solid #8a1c4a; margin-bottom: .25rem; }
ul.notes { padding-left: 1.1rem; font-size: .9rem; }
@page { margin: 14mm; }
@media print { body { margin: 0; max-width: none; font-size: 10.5pt; } nav { display: none; } h2 { break-after: avoid; } .columns { grid-template-columns: 1fr 1fr; } }
`;

// All metrics beside their baselines, the notes, and what was asked for.

function figuresSection({ metrics }: ReportData): string {
  const rows = [...figuresOf(metrics.fidelity), ...figuresOf(metrics.utility), ...figuresOf(metrics.privacy)];
  const head = [
    'metric',
    'value',
    '95 % interval',
    'held-out real rows',
    'independent columns',
    '10 % swapped',
    'verdict',
  ];
  const numeric = Object.entries(metrics.numeric).map(([name, value]) => [
    name,
    typeof value === 'number' ? decimal(value) : (value ?? '–'),
  ]);
  const said = paragraph(
    'Three baselines for each metric: held-out real rows, columns drawn independently of each other, and real rows with 10 % of their cells swapped.',
    'lead',
  );
  const list = metrics.notes.map((note) => `<li>${escaped(note)}</li>`).join('');
  return (
    section('figures', 'All metrics', said + (rows.length > 0 ? table(head, rows, 'wide') : '') + table([], numeric)) +
    section('notes', 'Notes', list && `<ul class="notes">${list}</ul>`)
  );
}

function figuresOf(group: object | null): string[][] {
  return Object.entries(group ?? {}).flatMap(([name, value]: [string, unknown]) =>
    isFigure(value) ? [figureRow(name, value)] : [],
  );
}

const isFigure = (value: unknown): value is MeasuredFigure =>
  typeof value === 'object' && value !== null && 'value' in value && 'verdict' in value && 'swapped' in value;

const figureRow = (name: string, one: MeasuredFigure): string[] => [
  figureName(name),
  one.value === null ? `not available: ${one.reason ?? ''}` : decimal(one.value),
  interval(one.low, one.high),
  decimal(one.holdout),
  decimal(one.independent),
  decimal(one.swapped),
  one.verdict ?? '–',
];

function settingsSection({ request, software, metrics }: ReportData): string {
  const { policy, conditions, ...plain } = request;
  const shown = Object.entries(plain).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') || '–' : String(value ?? '–'),
  ]);
  const more = [
    ['conditions', conditions.length > 0 ? JSON.stringify(conditions) : '–'],
    ['policy', policy ? JSON.stringify(policy) : '–'],
    ['seed used', String(metrics.seed)],
    [
      'version',
      `${software.version}, Node ${software.node}, ${software.platform}, ${software.processor}${software.image ? `, image ${software.image}` : ''}`,
    ],
  ];
  return section(
    'settings',
    'Settings, seed and versions',
    table([], [...shown.filter(([name]) => name !== 'seed'), ...more]),
  );
}
