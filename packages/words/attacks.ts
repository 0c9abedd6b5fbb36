/** The privacy figures as attacks: what the attacker has, what is counted, and from when on that is worse. */
import type { MeasuredFigure, PrivacyMetrics } from '../contract/metrics.ts';
import { quoted } from './wording.ts';

export interface Attack {
  name: string;
  knows: string;
  counts: string;
  /** When the verdict is "worse". */
  worse: string;
  figure: MeasuredFigure;
}

type AttackName =
  | 'exact_copies'
  | 'unique_copies'
  | 'near_copies'
  | 'neighbour_ratio'
  | 'dcr_share'
  | 'dcr_share_worst'
  | 'membership_inference'
  | 'singling_out'
  | 'text_memorisation';

/** All that were tried, in the order in which they are shown. */
export function attacksOf(privacy: PrivacyMetrics): Attack[] {
  const named = NAMES.map((name) => ({ ...ATTACKS[name], figure: privacy[name] }));
  const attributes = privacy.attribute_inference.map(({ column, why, advantage }) => ({
    name: `Attribute inference of ${quoted(column)} (chosen because of ${REASONS[why] ?? why})`,
    knows: `All numeric and categorical columns of a person but ${quoted(column)}.`,
    counts:
      'Share of right guesses for training rows, less that for held-out rows. A guess is what the nearest synthetic row has; a number is right within 2.5 % of the ranks.',
    worse: 'Above 0.',
    figure: advantage,
  }));
  return [...named, ...attributes].filter(({ figure }) => figure.value !== null || figure.reason !== NO_TEXT);
}

const NO_TEXT = 'there is no text column';

const REASONS: Readonly<Record<string, string>> = {
  'its name': 'its name',
  'it is the target': 'being the target',
  'it is hard to guess': 'being hard to guess',
};

const NAMES: readonly AttackName[] = [
  'exact_copies',
  'unique_copies',
  'near_copies',
  'neighbour_ratio',
  'dcr_share',
  'dcr_share_worst',
  'membership_inference',
  'singling_out',
  'text_memorisation',
];

const BEYOND_HELD_OUT = 'Above the share of held-out rows that do.';

const ATTACKS: Readonly<Record<AttackName, Omit<Attack, 'figure'>>> = {
  exact_copies: {
    name: 'Exact copies',
    knows: 'A whole row of the real table.',
    counts: 'Share of synthetic rows that equal a training row in every numeric and categorical column.',
    worse: BEYOND_HELD_OUT,
  },
  unique_copies: {
    name: 'Copies of unique rows',
    knows: 'A whole row that stands once in the real table.',
    counts: 'Share of synthetic rows that equal such a training row.',
    worse: BEYOND_HELD_OUT,
  },
  near_copies: {
    name: 'Near copies',
    knows: 'A row of the real table, nearly.',
    counts: 'Share of synthetic rows as near to a training row as the nearest 5 % of held-out rows are.',
    worse: BEYOND_HELD_OUT,
  },
  neighbour_ratio: {
    name: 'Ratio of nearest distances',
    knows: 'The real table, to look for rows that owe much to a single one.',
    counts: 'Distance to the nearest training row over that to the second nearest, mean over synthetic rows.',
    worse: 'Below that of held-out rows.',
  },
  dcr_share: {
    name: 'Closeness to training rows',
    knows: 'Real rows, some of them training rows, and wants to know which.',
    counts: 'Share of synthetic rows closer to a training row than to one of as many held-out rows, ties half.',
    worse: 'Above 0.5.',
  },
  dcr_share_worst: {
    name: 'Closeness, worst group of columns',
    knows: 'The same, and looks at a group of columns alone.',
    counts: 'The same share over the group in which it is largest; the interval allows for the choice.',
    worse: 'Above 0.5.',
  },
  membership_inference: {
    name: 'Membership inference',
    knows: 'Whole real rows, and guesses that those nearest to a synthetic row were trained on.',
    counts: 'AUC of the guess over training rows and as many held-out rows; 0.5 is chance.',
    worse: 'Above 0.5.',
  },
  singling_out: {
    name: 'Singling out',
    knows: 'The synthetic table alone; takes cells of one row until they fit one real person at most.',
    counts:
      'Share of training rows among the persons found, held-out rows weighted up to as many. Numbers fit within 0.5 % of the ranks.',
    worse: 'Above 0.5.',
  },
  text_memorisation: {
    name: 'Memorised texts',
    knows: 'The synthetic table alone.',
    counts:
      'Share of texts with a run of 40 characters of a training text; of shorter ones, those that are a whole text of few rows. The worst text column.',
    worse: BEYOND_HELD_OUT,
  },
};

/** What all thresholds have in common. */
export const WORSE_MEANS =
  'A figure is "worse" only where its 99.9 % interval lies wholly beyond the threshold; the intervals shown are at 95 %. Distances count numbers by their ranks and categories as equal or not.';
