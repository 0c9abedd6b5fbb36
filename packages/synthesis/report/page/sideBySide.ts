import { worstGrade } from '../../../contract/grades.ts';
import type { ReportData } from '../../../contract/report.ts';
import { figuresBeside } from '../../../words/figures.ts';
import { AREAS, GRADES } from '../../../words/report.ts';
import { counted, listed } from '../../../words/wording.ts';
import { escaped, linesTable, paragraph, scrolling, section, wideTable } from './markup.ts';
import { wholePage } from './wholePage.ts';

/** A synthetic table's report with a display name. */
export interface NamedReport {
  name: string;
  report: ReportData;
}

/**
 * Renders a self-contained page that compares synthetic tables.
 * @param tables tables of the same real table, from left to right.
 */
export function sideBySide(tables: readonly NamedReport[]): string {
  const names = tables.map(({ name }) => name);
  const real = tables[0]?.report;
  const title = `${listed(names)} beside each other`;
  const of = real ? `Compared with ${counted(real.rows.real, 'row')} of ${real.file_name}.` : '';
  const on = real?.metrics.measured_on?.summary ?? '';
  return wholePage({
    title,
    foot: title,
    sheetFoot: title,
    body: `<h1>${escaped(title)}</h1>
${paragraph(`${of} ${on}`.trim(), 'lead')}
${verdicts(tables)}
${figures(tables)}`,
  });
}

function verdicts(tables: readonly NamedReport[]): string {
  const areas = [...new Set(tables.flatMap(({ report }) => report.judgements.map(({ area }) => area)))];
  const overall = tables.map(({ report }) => [GRADES[worstGrade(report.judgements)]]);
  const rows = areas.map((area) => [
    [AREAS[area]],
    ...tables.map(({ report }) => {
      const found = report.judgements.find((judgement) => judgement.area === area);
      return found ? [GRADES[found.grade], found.headline, ...found.next.map(({ text }) => text)] : ['–'];
    }),
  ]);
  const head = ['verdict', ...tables.map(({ name }) => name)];
  const body = linesTable(head, [...rows, [['all together'], ...overall]]);
  return section('verdicts', 'Verdicts', scrolling('Verdicts', body));
}

function figures(tables: readonly NamedReport[]): string {
  const { head, rows } = figuresBeside(tables.map(({ name, report: { metrics } }) => ({ name, metrics })));
  return section('figures', 'Figures', wideTable('Figures', head, rows, 'numbers'));
}
