/**
 * Continuous columns by a vine copula of conditional ranks: each column has a regression tree on the categories and on the
 * columns before it; its rank within the leaf is what the vine ties to the others'; from simulated ranks the columns are
 * made one by one, through their leaves, back to places and numbers.
 */
import { z } from 'zod';
import { counted } from '../../../domain/table/wording.ts';
import { saveLink } from '../categorical/fitLink.ts';
import type { FittedModel, JsonValue, Model } from '../model.ts';
import { levelQuantilesSchema, saveLevelQuantiles } from '../shared/levelQuantiles.ts';
import { marginSchema, saveMargin, WITHHELD_NOTE } from '../shared/margin.ts';
import { columnTreeSchema, saveColumnTree } from './columnTree.ts';
import { eventColumnSchema } from './events.ts';
import { fitNumbers, type NumbersModel } from './fitNumbers.ts';
import { gapSchema } from './gapColumns.ts';
import { makeNumbers } from './makeNumbers.ts';
import { saveRankVine, vineSchema } from './rankDependence.ts';
import { saveTies, scoreTiesSchema } from './scoreTies.ts';

const savedSchema = z.object({
  names: z.array(z.string()),
  made: z.array(
    z.object({
      name: z.string(),
      margin: marginSchema,
      gap: gapSchema.nullable(),
      tree: columnTreeSchema,
      levels: levelQuantilesSchema,
      ties: scoreTiesSchema,
    }),
  ),
  events: z.array(eventColumnSchema),
  followers: z.array(z.object({ name: z.string(), margin: marginSchema, of: z.string(), falls: z.boolean() })),
  vine: vineSchema.nullable(),
  learntFrom: z.int(),
});

export const leafRankVine: Model = {
  name: 'vine copula of ranks within the leaves of trees',
  fit: async (task) => fitted(await fitNumbers(task)),
  restore: (saved) => fitted(savedSchema.parse(saved)),
};

const fitted = (model: NumbersModel): FittedModel => ({
  sample: (task) => makeNumbers(model, task),
  save: () => save(model),
  diagnostics: () => ({
    columns: model.made.map(({ name, tree }) => ({
      name,
      given: tree.given.map((seen) => seen.name),
      leaves: tree.tree.tree.leaves,
      penalty: tree.penalty,
    })),
    events: model.events.map(({ name, link }) => ({
      name,
      given: link.given.map((seen) => seen.name),
      leaves: link.tree.tree.leaves,
      leaf_rows: link.leafRows,
    })),
    followers: model.followers.map(({ name, of }) => ({ name, of })),
    learnt_from_rows: model.learntFrom,
    vine_log_likelihood: model.vine?.fit.logLikelihood ?? null,
    notes: notesOf(model),
  }),
});

const save = ({ names, made, events, followers, vine, learntFrom }: NumbersModel): JsonValue => ({
  names: [...names],
  made: made.map(({ name, margin, gap, tree, levels, ties }) => ({
    name,
    margin: saveMargin(margin),
    gap: gap && { ...gap },
    tree: saveColumnTree(tree),
    levels: saveLevelQuantiles(levels),
    ties: saveTies(ties),
  })),
  events: events.map(({ name, margin, link }) => ({ name, margin: saveMargin(margin), link: saveLink(link) })),
  followers: followers.map(({ margin, ...rest }) => ({ ...rest, margin: saveMargin(margin) })),
  vine: vine && saveRankVine(vine),
  learntFrom,
});

function notesOf({ made, followers }: NumbersModel): string[] {
  const withheld = [...made, ...followers].filter(({ margin }) => margin.withheld.length > 0).length;
  if (withheld === 0) return [];
  return [`The largest and smallest numbers of ${counted(withheld, 'continuous column')} ${WITHHELD_NOTE}`];
}
