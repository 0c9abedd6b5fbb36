import type { MeasuredFigure } from '../contract/measuredFigure.ts';
import type { JobMetrics } from '../contract/metrics.ts';
import { decimal, interval } from './format.ts';
import { figureName } from './report.ts';
import { listed, quoted, withCommas } from './wording.ts';

const GROUPS = ['fidelity', 'utility', 'privacy', 'text'] as const;
type Group = (typeof GROUPS)[number];

/** A figure with a name such as "privacy: dcr share". */
export interface NamedFigure {
  group: Group;
  /** Its key in the group or list. */
  key: string;
  name: string;
  figure: MeasuredFigure;
}

/** Finds figures at any depth, including those added later. */
export function namedFigures(metrics: Pick<JobMetrics, Group>): NamedFigure[] {
  return GROUPS.flatMap((group) => {
    // Texts have figures per column.
    const roots = group === 'text' ? (metrics.text?.columns ?? []) : [metrics[group]];
    return roots.flatMap((root) =>
      Object.entries(root ?? {}).flatMap(([key, value]) =>
        figuresIn(value, [labelOf(root), figureName(key)]).map((of) => ({ group, key, ...of })),
      ),
    );
  });
}

function figuresIn(value: unknown, path: string[]): { name: string; figure: MeasuredFigure }[] {
  if (Array.isArray(value)) return value.flatMap((entry: unknown) => figuresIn(entry, [...path, labelOf(entry)]));
  if (typeof value !== 'object' || value === null) return [];
  if (isFigure(value)) return [{ name: nameOf(path.filter(Boolean)), figure: value }];
  return Object.entries(value).flatMap(([key, entry]) => figuresIn(entry, [...path, figureName(key)]));
}

/** Takes ["categories", "city", "auc"] for example. */
function nameOf(path: readonly string[]): string {
  const [list, column = '', key] = path.slice(-3);
  if (list === 'categories' && key === 'auc') return `predicting ${quoted(column)} (AUC)`;
  return path.join(', ');
}

function labelOf(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return '';
  if ('score' in entry && 'over' in entry) return `${entry.score}, ${entry.over} rows`.replaceAll('_', ' ');
  if ('known' in entry && 'column' in entry && Array.isArray(entry.known)) {
    return `${entry.column} from ${listed(entry.known.map(String))}`;
  }
  const label: unknown = 'column' in entry ? entry.column : 'with' in entry ? entry.with : '';
  return typeof label === 'string' ? label : '';
}

const isFigure = (value: object): value is MeasuredFigure =>
  'value' in value && 'verdict' in value && 'holdout' in value;

// Figures on which verdicts depend, and all that are worse than real rows.

const KEYS: Readonly<Record<Group, readonly string[]>> = {
  fidelity: [
    'one_way',
    'two_way',
    'association_strength',
    'ks',
    'total_variation',
    'missingness',
    'discriminator',
    'discriminator_training',
    'coherence',
    'sequence_lengths',
  ],
  utility: ['target', 'categories', 'coefficients'],
  privacy: [
    'exact_copies',
    'unique_copies',
    'copies_but_one',
    'dcr_share',
    'membership_inference',
    'singling_out',
    'singling_out_excess',
    'linkability_excess',
    'attribute_excess',
    'sequence_copies',
    'attribute_inference',
  ],
  text: ['bits_per_character', 'length', 'copies'],
};

export const keyFigures = (metrics: Pick<JobMetrics, Group>): NamedFigure[] =>
  namedFigures(metrics).filter(
    ({ group, key, figure }) => figure.value !== null && (KEYS[group].includes(key) || figure.verdict === 'worse'),
  );

export const FIGURE_HEAD = ['figure', 'value', '95 % interval', 'rows', 'real data score', 'verdict'] as const;

/** Cells of `FIGURE_HEAD`. Real rows show held-out figures or, for attacks, the expectation by symmetry. */
export const figureCells = ({ group, name, figure }: NamedFigure): string[] => [
  figure.value === null ? `${name}: not available, ${figure.reason ?? ''}` : name,
  decimal(figure.value),
  interval(figure.low, figure.high),
  withCommas(figure.rows),
  decimal(realRowsGet({ group, figure })),
  figure.verdict ?? '–',
];

const realRowsGet = ({ group, figure }: Pick<NamedFigure, 'group' | 'figure'>): number | null =>
  figure.holdout ?? (group === 'privacy' ? figure.ideal : null);

export function figuresBeside(tables: readonly { name: string; metrics: Pick<JobMetrics, Group> }[]) {
  const found = tables.map(({ metrics }) => new Map(namedFigures(metrics).map((one) => [nameIn(one), one])));
  const names = [...new Set(tables.flatMap(({ metrics }) => keyFigures(metrics).map(nameIn)))];
  const rows = names.map((name) => {
    const own = found.map((figures) => figures.get(name));
    const first = own.find((one) => one !== undefined);
    return [
      first?.name ?? name,
      ...own.flatMap((one) => [
        decimal(one?.figure.value ?? null) + intervalText(one?.figure),
        one?.figure.verdict ?? '–',
      ]),
      decimal(first ? realRowsGet(first) : null),
    ];
  });
  return { head: ['figure', ...tables.flatMap(({ name }) => [name, 'verdict']), 'real data score'], rows };
}

const nameIn = ({ group, name }: NamedFigure): string => `${group}: ${name}`;

const intervalText = (figure: MeasuredFigure | undefined): string =>
  figure && figure.low !== null && figure.high !== null ? ` (${interval(figure.low, figure.high)})` : '';
