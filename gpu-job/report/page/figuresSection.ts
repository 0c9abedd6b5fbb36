/** All figures beside their yardsticks, the notes, and what was asked for. */
import type { MeasuredFigure } from '../../../domain/schema/measuredFigure.ts';
import type { ReportData } from '../../../domain/schema/report.ts';
import { decimal } from '../wording.ts';
import { escaped, paragraph, section, table } from './html.ts';

export function figuresSection({ metrics }: ReportData): string {
  const rows = [...figuresOf(metrics.fidelity), ...figuresOf(metrics.utility), ...figuresOf(metrics.privacy)];
  const head = ['figure', 'value', '95 % interval', 'real rows', 'independent columns', 'a tenth swapped', 'verdict'];
  const numeric = Object.entries(metrics.numeric).map(([name, value]) => [
    name,
    typeof value === 'number' ? decimal(value) : (value ?? '–'),
  ]);
  const said = paragraph(
    'Beside each figure stands the same for real rows that no model saw, for the columns drawn independently of each other, and for real rows with a tenth of their cells swapped.',
    'lead',
  );
  const list = metrics.notes.map((note) => `<li>${escaped(note)}</li>`).join('');
  return (
    section('figures', 'All figures', said + (rows.length > 0 ? table(head, rows, 'wide') : '') + table([], numeric)) +
    section('notes', 'Notes', list && `<ul class="notes">${list}</ul>`)
  );
}

function figuresOf(group: object | null): string[][] {
  return Object.entries(group ?? {}).flatMap(([name, value]: [string, unknown]) =>
    isFigure(value) ? [figureRow(name, value)] : [],
  );
}

const FIGURES: Record<string, string> = {
  one_way: 'agreement of single columns (1 is best)',
  two_way: 'agreement of pairs (1 is best)',
  three_way: 'agreement of triples (1 is best)',
  ks: 'Kolmogorov–Smirnov distance (0 is best)',
  wasserstein: 'Wasserstein distance (0 is best)',
  total_variation: 'total variation (0 is best)',
  missingness: 'missing cells, distance (0 is best)',
  pearson: 'Pearson’s correlations, distance (0 is best)',
  spearman: 'Spearman’s correlations, distance (0 is best)',
  correlation_ratio: 'correlation ratios, distance (0 is best)',
  cramers_v: 'Cramér’s V, distance (0 is best)',
  discriminator: 'classifier’s AUC (0.5 is best)',
  target: 'R² of the target, learnt here, tested on real rows',
  coefficients: 'overlap of coefficients (1 is best)',
  exact_copies: 'rows that equal a real row',
  unique_copies: 'rows that equal a real row that stands there once',
  near_copies: 'rows as near as the nearest twentieth of real ones',
  dcr_share: 'share nearer to rows learnt from (0.5 is best)',
  dcr_share_worst: 'the same in the worst group of columns',
  neighbour_ratio: 'nearest over second nearest (near 0: copies)',
  membership_inference: 'membership guessed, AUC (0.5 is best)',
  singling_out: 'singled out, share learnt from',
  text_memorisation: 'texts with a long run of a real one',
};

const isFigure = (value: unknown): value is MeasuredFigure =>
  typeof value === 'object' && value !== null && 'value' in value && 'verdict' in value && 'swapped' in value;

const figureRow = (name: string, one: MeasuredFigure): string[] => [
  FIGURES[name] ?? name.replaceAll('_', ' '),
  one.value === null ? `none: ${one.reason ?? ''}` : decimal(one.value),
  one.low === null ? '–' : `${decimal(one.low)} to ${decimal(one.high)}`,
  decimal(one.holdout),
  decimal(one.independent),
  decimal(one.swapped),
  one.verdict === null
    ? '–'
    : one.verdict === 'as good'
      ? 'as good'
      : one.verdict === 'worse'
        ? 'worse'
        : 'suspiciously better',
];

export function settingsSection({ request, software, metrics }: ReportData): string {
  const { policy, conditions, ...plain } = request;
  const shown = Object.entries(plain).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') || '–' : String(value ?? '–'),
  ]);
  const more = [
    ['conditions', conditions.length > 0 ? JSON.stringify(conditions) : '–'],
    ['policy', policy ? JSON.stringify(policy) : '–'],
    ['seed that was used', String(metrics.seed)],
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
