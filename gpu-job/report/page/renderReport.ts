/** A report as one page that asks nothing of anybody: no script, no font, no picture from elsewhere. */
import type { ReportData } from '../../../domain/schema/report.ts';
import { counted } from '../../../domain/table/wording.ts';
import { figuresSection, settingsSection } from './figuresSection.ts';
import { escaped, paragraph } from './html.ts';
import { columnsSection, modelSection, privacySection, summarySection, textsSection, tiesSection } from './sections.ts';
import { STYLE } from './style.ts';

const LINKS: [string, string][] = [
  ['summary', 'In short'],
  ['columns', 'Columns'],
  ['ties', 'Together'],
  ['privacy', 'Nearness'],
  ['model', 'Model'],
  ['texts', 'Texts'],
  ['figures', 'Figures'],
  ['notes', 'Notes'],
  ['settings', 'Settings'],
];

/** `breathe` is awaited between the parts, and throws where the job is to stop. */
export async function renderReport(report: ReportData, breathe: () => Promise<void>): Promise<string> {
  const parts: string[] = [];
  for (const part of [
    summarySection,
    columnsSection,
    tiesSection,
    privacySection,
    modelSection,
    textsSection,
    figuresSection,
    settingsSection,
  ]) {
    parts.push(await part(report));
    await breathe();
  }
  const body = parts.join('\n');
  const links = LINKS.filter(([id]) => body.includes(`<section id="${id}">`)).map(
    ([id, word]) => `<a href="#${id}">${word}</a>`,
  );
  const { rows, file_name, made_at, columns } = report;
  const lead = `${counted(rows.synthetic, 'synthetic row')} of ${counted(columns.length + report.columns_left_out, 'column')}, made from the ${counted(rows.real, 'row')} of ${file_name} at ${made_at.replace('T', ' ').slice(0, 16)} UTC.`;
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
