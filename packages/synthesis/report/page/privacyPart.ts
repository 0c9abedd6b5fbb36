import { RECEIPT_KEY_MARK, type ReportData } from '../../../contract/report.ts';
import { attacksOf, WORSE_MEANS } from '../../../words/attacks.ts';
import { decimal, interval } from '../../../words/format.ts';
import { promiseVerdict } from '../../../words/promise.ts';
import { AREAS, GRADES } from '../../../words/report.ts';
import { counted, withCommas } from '../../../words/wording.ts';
import { distanceChart } from './charts.ts';
import { drawSvg, escaped, figure, linesTable, paragraph, scrolling, section } from './markup.ts';
import { hasReceipt } from './summaryPart.ts';

export async function privacySection(report: ReportData): Promise<string> {
  return section('privacy', 'Privacy: attacks and distances', attacks(report) + (await distances(report)));
}

function attacks({ metrics: { privacy } }: ReportData): string {
  if (!privacy) return paragraph('No attack was tried: this table is from a version that tried none.');
  const head = [
    'attack / what the attacker knows',
    'what is counted / when it is worse',
    'result',
    'real rows',
    'verdict',
  ];
  const rows = attacksOf(privacy).map(({ name, knows, counts, worse, figure: found }) => [
    [name, knows],
    [counts, worse],
    found.value === null
      ? [`not available: ${found.reason ?? ''}`]
      : [
          decimal(found.value),
          interval(found.low, found.high),
          ...(found.upper === undefined ? [] : [`at most ${decimal(found.upper)} (95 %, one-sided)`]),
          `${withCommas(found.rows)} rows`,
        ],
    [decimal(found.holdout ?? found.ideal)],
    [found.verdict ?? '–'],
  ]);
  const said = paragraph(
    `Held-out rows are real rows that no model saw: what an attack finds out about them is knowledge of the world, and only more than that is a leak. ${WORSE_MEANS}`,
    'lead',
  );
  return said + scrolling('Attacks, what they assume and what came of them', linesTable(head, rows, 'prose'));
}

async function distances({ distances: found }: ReportData): Promise<string> {
  const title = '<h3>Distance to real rows</h3>';
  if (!found) return title + paragraph('Distances need a numeric or categorical column and more rows.');
  const { rows } = found;
  const beside =
    found.beside === 'held-out rows'
      ? `compared with ${counted(rows.real, 'held-out real row')}`
      : `compared with ${counted(rows.real, 'training row')} and their nearest neighbours`;
  const caption = `Distance of ${counted(rows.synthetic, 'synthetic row')} (line; median ${decimal(found.median_synthetic)}) to the nearest of ${counted(rows.training, 'training row')}, ${beside} (filled bars; median ${decimal(found.median_real)}). 0 is a copy; 1 is a row that differs in every column. A line well to the left of the bars would suggest copying.`;
  return title + figure(await drawSvg(distanceChart(found), caption), caption);
}

const BLANKS: readonly [name: string, isTall: boolean][] = [
  ['Decision: release, release with conditions, or do not release', false],
  ['Conditions (recipients, purpose, until when)', true],
  ['Name', false],
  ['Role', false],
  ['Date', false],
  ['Signature', false],
];

function aboutWhat(jobId: string, identity: ReportData['identity']): string {
  const hash = identity?.output_sha256 ? ` with the SHA-256 <code>${escaped(identity.output_sha256)}</code>` : '';
  if (!hasReceipt(jobId)) return `A synthetic table${hash}, without a receipt.`;
  const key = identity ? `, receipt signed with the key <code>${RECEIPT_KEY_MARK}</code>` : '';
  return `Job <code>${escaped(jobId)}</code>${hash && `, synthetic_data.csv${hash}`}${key}.`;
}

/** The sheet to sign and share. It contains no figures of real rows and, under `privacy`, no grades from them. */
export function reviewSection({ job_id, identity, judgements, metrics: { formal_privacy } }: ReportData): string {
  const grades = judgements.map(({ area, grade }) => `${AREAS[area]}: ${GRADES[grade]}`).join('; ');
  const judged = formal_privacy
    ? promiseVerdict(formal_privacy).headline
    : grades === ''
      ? 'The table was not judged.'
      : `${grades}.`;
  const said = [aboutWhat(job_id, identity), escaped(judged)];
  const lines = BLANKS.map(
    ([name, isTall]) => `<tr><th scope="row">${name}</th><td${isTall ? ' class="tall"' : ''}></td></tr>`,
  );
  return section(
    'review',
    'Review and decision',
    `${said.map((text) => `<p>${text}</p>`).join('')}<table class="sign"><tbody>${lines.join('')}</tbody></table>`,
  );
}
