import type { MeasuredFigure } from '../contract/measuredFigure.ts';
import type { MembershipAttack, PrivacyMetrics } from '../contract/metrics.ts';
import { share } from './format.ts';
import { listed, quoted } from './wording.ts';

export interface Attack {
  name: string;
  knows: string;
  counts: string;
  /** Criterion of "worse". */
  worse: string;
  figure: MeasuredFigure;
}

type AttackName =
  | 'exact_copies'
  | 'unique_copies'
  | 'copies_but_one'
  | 'near_copies'
  | 'strange_rows'
  | 'neighbour_ratio'
  | 'dcr_share'
  | 'dcr_share_worst'
  | 'membership_inference'
  | 'singling_out'
  | 'singling_out_excess'
  | 'linkability_excess'
  | 'attribute_excess'
  | 'text_memorisation';

/** In display order. */
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
  const lookUps = privacy.look_ups.map(({ known, column, advantage }) => ({
    name: `Attribute inference of ${quoted(column)} by look-up`,
    knows: `${listed(known.map(quoted))} of a person, and nothing else.`,
    counts:
      'Share of right readings for training rows, less that for held-out rows. What is read is the cell of the synthetic row that is nearest in the known columns. The surest of all look-ups.',
    worse: 'Above 0, however many look-ups are tried.',
    figure: advantage,
  }));
  return [...named, ...privacy.membership.flatMap(membershipAttacks), ...attributes, ...lookUps].filter(
    ({ figure }) => figure.value !== null || figure.reason !== NO_TEXT,
  );
}

function membershipAttacks({ score, over, auc, ...rates }: MembershipAttack): Attack[] {
  const name = `Membership by ${SCORES[score].name}, ${OVER[over]}`;
  const { knows } = SCORES[score];
  const rate = (figure: MeasuredFigure, most: number): Attack => ({
    name: `${name}: ${share(most)} false positives`,
    knows,
    figure,
    counts: `Share of training rows that score above all but ${share(most)} of the held-out rows.`,
    worse: 'Above the share of held-out rows that do.',
  });
  const counts = 'AUC of the guess over training rows and as many held-out rows; 0.5 is chance.';
  return [
    { name, knows, counts, worse: 'Above 0.5.', figure: auc },
    rate(rates.true_positives_1, 0.01),
    rate(rates.true_positives_10, 0.1),
    {
      name: `${name}: highest scores`,
      knows,
      counts: `Share of training rows among the ${rates.highest.rows} persons who score highest, of as many training rows as held-out ones.`,
      worse: 'Above 0.5, whatever number of persons is looked at.',
      figure: rates.highest,
    },
  ];
}

const OVER: Readonly<Record<MembershipAttack['over'], string>> = {
  all: 'all rows',
  isolated: 'the 5 % most isolated rows',
};

const SCORES: Readonly<Record<MembershipAttack['score'], { name: string; knows: string }>> = {
  distance: { name: 'distance', knows: 'Whole real rows; those nearest to a synthetic row are guessed.' },
  distance_ratio: {
    name: 'distance ratio',
    knows: 'Whole real rows; those much nearer to one synthetic row than to any other are guessed.',
  },
  density_ratio: {
    name: 'density ratio',
    knows:
      'Whole real rows and other real rows for reference; those much nearer to a synthetic row than to the reference are guessed.',
  },
  coincidence: {
    name: 'coincidence',
    knows:
      'Whole real rows; those that agree with one synthetic row as chance seldom has it, in few columns or in many, are guessed.',
  },
  worst_column: {
    name: 'worst column',
    knows:
      'Whole real rows; those that differ little from one synthetic row even in the column where they differ most are guessed.',
  },
};

const NO_TEXT = 'there is no text column';

const REASONS: Readonly<Record<string, string>> = {
  'its name': 'its name',
  'it is the target': 'being the target',
  'it is hard to guess': 'being hard to guess',
};

const NAMES: readonly AttackName[] = [
  'exact_copies',
  'unique_copies',
  'copies_but_one',
  'near_copies',
  'strange_rows',
  'neighbour_ratio',
  'dcr_share',
  'dcr_share_worst',
  'membership_inference',
  'singling_out',
  'singling_out_excess',
  'linkability_excess',
  'attribute_excess',
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
  copies_but_one: {
    name: 'Copies but for one cell',
    knows: 'A row of the real table, but for one cell.',
    counts: 'Share of synthetic rows that equal a training row in all numeric and categorical columns but one at most.',
    worse: BEYOND_HELD_OUT,
  },
  near_copies: {
    name: 'Near copies',
    knows: 'A row of the real table, nearly.',
    counts: 'Share of synthetic rows as near to a training row as the nearest 5 % of held-out rows are.',
    worse: BEYOND_HELD_OUT,
  },
  strange_rows: {
    name: 'Near copies among strange rows',
    knows: 'A row of the real table, nearly, and which numbers stand in none.',
    counts:
      'Share of training rows, of as many training rows as held-out ones, among the real rows nearest to synthetic rows that have as many numbers which no real row has. The group that is least likely by chance.',
    worse: 'Above 0.5, whatever the group.',
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
    worse: 'Above 0.5; a figure of distances, on which no verdict rests.',
  },
  dcr_share_worst: {
    name: 'Closeness, worst group of columns',
    knows: 'The same, and looks at a group of columns alone.',
    counts: 'The same share over the group in which it is largest; the interval allows for the choice.',
    worse: 'Above 0.5; a figure of distances, on which no verdict rests.',
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
  singling_out_excess: {
    name: 'Singling out, excess',
    knows: 'The synthetic table alone; takes cells of one row until no other synthetic row has them.',
    counts:
      'Share of such guesses that fit exactly one training row, less the share that fit exactly one of as many held-out rows.',
    worse: 'Above 0.',
  },
  linkability_excess: {
    name: 'Linkability, excess',
    knows: 'One half of the columns of a person from one source, the other half from another.',
    counts:
      'Share of training rows whose two halves are nearest to the same synthetic row, less the same share of held-out rows.',
    worse: 'Above 0.',
  },
  attribute_excess: {
    name: 'Attribute inference, excess',
    knows: 'All columns of a person but one: the columns below, in turn.',
    counts: 'Share of right guesses for training rows, less that for held-out rows, over all of these columns.',
    worse: 'Above 0.',
  },
  text_memorisation: {
    name: 'Memorised texts',
    knows: 'The synthetic table alone.',
    counts:
      'Share of texts with a run of 40 characters of a training text; of shorter ones, those that are a whole text of few rows. The worst text column.',
    worse: BEYOND_HELD_OUT,
  },
};

/** Common to all thresholds. */
export const WORSE_MEANS =
  'A figure is "worse" only where its 99.9 % interval lies wholly beyond the threshold; the intervals shown are at 95 %. Distances count numbers by their ranks and categories as equal or not.';
