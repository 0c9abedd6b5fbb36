import type { JobMetrics } from '../../packages/contract/metrics.ts';
import type { StatusReply } from '../../packages/contract/replies.ts';
import { namedFigures } from '../../packages/words/figures.ts';
import { decimal, familyName } from '../../packages/words/format.ts';
import { AREAS, GRADES, METRICS } from '../../packages/words/report.ts';
import { withCommas } from '../../packages/words/wording.ts';
import { NUMBER_OPTIONS, OPTION_WORDS } from './options.ts';
import { ROLE_WORDS } from './roles.ts';

export interface Pair {
  name: string;
  /** "–" if absent. */
  texts: readonly [string, string];
  differs: boolean;
}

export interface Section {
  title: string;
  pairs: Pair[];
}

type Entries = ReadonlyMap<string, string>;

/** In the first job's order, then the second's. */
function paired(one: Entries, other: Entries): Pair[] {
  return [...new Set([...one.keys(), ...other.keys()])].map((name) => {
    const texts = [one.get(name) ?? '–', other.get(name) ?? '–'] as const;
    return { name, texts, differs: texts[0] !== texts[1] };
  });
}

const verdictsOf = ({ verdicts }: JobMetrics): Entries =>
  new Map((verdicts ?? []).map(({ area, grade }) => [AREAS[area], GRADES[grade]]));

function figuresOf(metrics: JobMetrics): Entries {
  const { numeric } = metrics;
  const entries = Object.entries(METRICS).flatMap(([key, { title }]): [string, string][] => {
    const value = Object.entries(numeric).find(([name]) => name === key)?.[1] ?? null;
    return [[title, typeof value === 'string' ? familyName(value) : decimal(value)]];
  });
  const measured = namedFigures(metrics).map(({ group, name, figure }): [string, string] => [
    `${group}: ${name}`,
    decimal(figure.value),
  ]);
  return new Map([...entries, ...measured]);
}

function settingsOf(request: StatusReply['request']): Entries {
  if (!request) return new Map();
  const roles = (['continuous', 'categorical', 'text'] as const).flatMap((role) =>
    request[`${role}_cols`].map((name): [string, string] => [`Role of "${name}"`, ROLE_WORDS[role]]),
  );
  const target: [string, string][] = request.target_col === null ? [] : [['Target', request.target_col]];
  const numbers = NUMBER_OPTIONS.map((name): [string, string] => {
    const value = request[name];
    return [OPTION_WORDS[name].title, value === null ? '–' : name === 'seed' ? String(value) : withCommas(value)];
  });
  const yes = (value: boolean) => (value ? 'yes' : 'no');
  return new Map([
    ...target,
    ...numbers,
    ['Family', familyName(request.family)],
    ['Sampler', request.sampler],
    ['Calibrate the target', yes(request.calibrate)],
    ['Keep rare categories', yes(request.keep_rare)],
    ['Cross-fit the attacks', request.cross_fit === null ? 'if it takes little' : yes(request.cross_fit)],
    ['Strict release policy', yes(request.policy !== null)],
    ['Conditions', request.conditions.map((one) => JSON.stringify(one)).join(', ') || 'none'],
    ...roles,
  ]);
}

/** `jobs` must be done. Empty sections are omitted. */
export function sideBySide(jobs: readonly [StatusReply, StatusReply]): Section[] {
  const [one, other] = jobs;
  const of = (entries: (metrics: JobMetrics) => Entries) => {
    const [first, second] = jobs.map(({ metrics }) => (metrics ? entries(metrics) : new Map<string, string>()));
    return paired(first ?? new Map(), second ?? new Map());
  };
  return [
    { title: 'Verdicts', pairs: of(verdictsOf) },
    { title: 'Settings', pairs: paired(settingsOf(one.request), settingsOf(other.request)) },
    { title: 'Metrics', pairs: of(figuresOf) },
  ].filter(({ pairs }) => pairs.length > 0);
}
