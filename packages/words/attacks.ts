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
    knows: `All numeric and categorical columns of a person except ${quoted(column)}.`,
    counts:
      'Share of right guesses for training rows minus that for held-out rows. A guess is the value of the nearest synthetic row; a number is right within 2.5 % of the ranks.',
    worse: 'Alarm if above 0.',
    figure: advantage,
  }));
  const lookUps = privacy.look_ups.map(({ known, column, advantage }) => ({
    name: `Attribute inference of ${quoted(column)} by look-up`,
    knows: `${listed(known.map(quoted))} of a person, and nothing else.`,
    counts:
      'Share of right readings for training rows minus that for held-out rows. Reads the cell of the synthetic row nearest in the known columns. The surest of all look-ups.',
    worse: 'Alarm if above 0, however many look-ups are tried.',
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
    worse: BEYOND_HELD_OUT,
  });
  const counts = 'AUC of the guess over training rows and as many held-out rows; 0.5 is chance.';
  return [
    { name, knows, counts, worse: 'Alarm if above 0.5.', figure: auc },
    rate(rates.true_positives_1, 0.01),
    rate(rates.true_positives_10, 0.1),
    {
      name: `${name}: highest scores`,
      knows,
      counts: `Share of training rows among the ${rates.highest.rows} persons who score highest, of as many training rows as held-out ones.`,
      worse: 'Alarm if above 0.5 for any number of persons.',
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

const BEYOND_HELD_OUT = 'Alarm if higher than for unseen rows.';

const ATTACKS: Readonly<Record<AttackName, Omit<Attack, 'figure'>>> = {
  exact_copies: {
    name: 'Exact copies',
    knows: 'A whole row of the real table.',
    counts: 'Share of synthetic rows that equal a training row in every numeric and categorical column.',
    worse: BEYOND_HELD_OUT,
  },
  unique_copies: {
    name: 'Copies of unique rows',
    knows: 'A whole row that is unique in the real table.',
    counts: 'Share of synthetic rows that equal such a training row.',
    worse: BEYOND_HELD_OUT,
  },
  copies_but_one: {
    name: 'Near copies (one cell differs)',
    knows: 'All but one cell of a real row.',
    counts:
      'Share of synthetic rows that equal a training row in all numeric and categorical columns except at most one.',
    worse: BEYOND_HELD_OUT,
  },
  near_copies: {
    name: 'Near copies',
    knows: 'Most of a real row.',
    counts: 'Share of synthetic rows as near to a training row as the nearest 5 % of held-out rows are.',
    worse: BEYOND_HELD_OUT,
  },
  strange_rows: {
    name: 'Near copies among strange rows',
    knows: 'Most of a real row, and which numbers no real row has.',
    counts:
      'Groups synthetic rows by how many of their numbers no real row has. Share of training rows among the nearest real rows, with as many held-out rows; for the group least likely by chance.',
    worse: 'Alarm if above 0.5 for any group.',
  },
  neighbour_ratio: {
    name: 'Ratio of nearest distances',
    knows: 'The real table; looks for rows made from a single one.',
    counts: 'Mean ratio of the distances to the nearest and the second nearest training row.',
    worse: 'Alarm if lower than for unseen rows.',
  },
  dcr_share: {
    name: 'Closeness to training rows',
    knows: 'A set of real rows; tries to tell which were used for training.',
    counts: 'How often a synthetic row is closer to training data than to unseen data (50 % is ideal).',
    worse: 'For information; not part of the verdict.',
  },
  dcr_share_worst: {
    name: 'Closeness, worst group of columns',
    knows: 'The same, but looks at one group of columns.',
    counts: 'The same for the worst group of columns; the interval allows for this choice.',
    worse: 'For information; not part of the verdict.',
  },
  membership_inference: {
    name: 'Membership inference',
    knows: 'Whole real rows, and guesses that those nearest to a synthetic row were trained on.',
    counts: 'AUC of the guess over training rows and as many held-out rows; 0.5 is chance.',
    worse: 'Alarm if above 0.5.',
  },
  singling_out: {
    name: 'Singling out',
    knows: 'Only the synthetic table; combines values until only one person matches.',
    counts:
      'Share of training rows among the persons found, held-out rows weighted up to as many. Numbers fit within 0.5 % of the ranks.',
    worse: 'Alarm if above 0.5.',
  },
  singling_out_excess: {
    name: 'Singling out, excess',
    knows: 'Only the synthetic table; combines values of a row until no other synthetic row has them.',
    counts:
      'Share of such guesses that fit exactly one training row, minus the share that fit exactly one of as many held-out rows.',
    worse: 'Alarm if above 0.',
  },
  linkability_excess: {
    name: 'Linkability, excess',
    knows: 'One half of the columns of a person from one source, the other half from another.',
    counts:
      'Share of training rows whose two halves are nearest to the same synthetic row, minus the same share of held-out rows.',
    worse: 'Alarm if above 0.',
  },
  attribute_excess: {
    name: 'Attribute inference, excess',
    knows: 'All columns of a person except one: each of the columns below in turn.',
    counts: 'Share of right guesses for training rows minus that for held-out rows, over all of these columns.',
    worse: 'Alarm if above 0.',
  },
  text_memorisation: {
    name: 'Memorised texts',
    knows: 'Only the synthetic table.',
    counts:
      'Share of texts with a run of 40 characters of a training text; of shorter ones, those that are a whole text of few rows. The worst text column.',
    worse: BEYOND_HELD_OUT,
  },
};

/** Common to all thresholds. */
export const WORSE_MEANS =
  'A figure is "worse" only if its 99.9 % interval lies wholly beyond the threshold; the intervals shown are at 95 %. Distances count numbers by their ranks and categories as equal or not.';
