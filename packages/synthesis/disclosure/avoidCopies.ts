/** Redraws copies of real rows and near copies of sequences, beyond those that chance explains. */
import type { RandomStream } from '../../numerics/random/stream.ts';
import { tally } from '../../numerics/tally.ts';
import { counted, withCommas } from '../../words/wording.ts';
import { measuredColumns } from '../judge/columns.ts';
import { numberRows } from '../judge/duplicateRate.ts';
import { sequenceCopies } from '../judge/entities/sequenceCopies.ts';
import type { ModelTable } from '../models/model.ts';
import { measureRolesOf, type Plan } from '../plan/plan.ts';
import type { Progress } from '../progress.ts';
import { startsOf } from '../table/entityRows.ts';
import type { Split } from '../table/split.ts';
import { type Breach, copyBreach, countRows, type Redraw } from './breaches.ts';

export interface CopyRule {
  breach: Breach;
  /** Returns 0 if chance explains all copies. */
  excess(table: ModelTable): number;
  report(copies: number, after: { table: ModelTable; redrawn: number }, progress: Progress): Promise<string>;
}

interface AvoidTask {
  rule: CopyRule;
  redraw: Redraw;
  random: RandomStream;
  progress: Progress;
}

export async function avoidCopies(
  { rule, redraw, random, progress }: AvoidTask,
  table: ModelTable,
): Promise<{ table: ModelTable; notes: string[] }> {
  const copies = rule.excess(table);
  if (copies === 0) return { table, notes: [] };
  const after = await redraw(table, rule.breach, random);
  return { table: after.table, notes: [await rule.report(copies, after, progress)] };
}

/** Above this share, few different rows are possible, so that copies identify nobody. */
const MAX_COPIED_SHARE = 0.05;

/** Chance explains as many copies as real rows have twins. Ignores text. */
export function rowCopies(plan: Plan, real: ModelTable): CopyRule {
  const columns = { ...measuredColumns(measureRolesOf(plan), real), text: [] };
  const breach = copyBreach(real, columns);
  return {
    breach,
    excess(table) {
      const copies = countRows(breach(table));
      const byChance = shareWithTwins(numberRows(real, columns)) * table.rows;
      return copies <= byChance || copies > MAX_COPIED_SHARE * table.rows ? 0 : copies;
    },
    async report(copies, { table, redrawn }, { onProgress }) {
      const left = countRows(breach(table));
      await onProgress({ stage: 'gate', fact: 'copies_redrawn', rows: redrawn });
      return noteOf(copies, left);
    },
  };
}

function shareWithTwins(groupOf: Int32Array): number {
  const sizes = tally(groupOf);
  return groupOf.filter((group) => sizes.get(group)! > 1).length / groupOf.length;
}

const noteOf = (copies: number, left: number): string =>
  `${counted(copies, 'drawn row')} equalled a real row, more than real rows equal each other, and ${copies === 1 ? 'was' : 'were'} redrawn${
    left === 0 ? '.' : `; ${withCommas(left)} still ${left === 1 ? 'does' : 'do'}, since no other rows could be drawn.`
  }`;

/** Chance explains as many near sequences as held-out entities have. */
export function nearSequences(plan: Plan, key: string, split: Split, random: RandomStream): CopyRule {
  const { numeric, categorical } = measuredColumns(measureRolesOf(plan), split.train);
  const names = [...numeric, ...categorical];
  const real = { table: split.train, starts: startsOf(split.train, key) };
  const flagsOf = (of: ModelTable): Uint8Array =>
    sequenceCopies({ table: of, starts: startsOf(of, key) }, real, names, random.child('look'));
  const shareOf = (of: ModelTable): number => {
    const flags = flagsOf(of);
    return countRows(flags) / Math.max(1, flags.length);
  };
  return {
    breach: (of) => inRows(flagsOf(of), startsOf(of, key)),
    excess(table) {
      const found = shareOf(table);
      const isByChance = found === 0 || (split.holdout !== null && found <= shareOf(split.holdout));
      return isByChance ? 0 : countRows(flagsOf(table));
    },
    report: async (_, { redrawn }) => nearNote(redrawn),
  };
}

function inRows(flags: Uint8Array, starts: Int32Array): Uint8Array {
  const rows = new Uint8Array(starts.at(-1)!);
  flags.forEach((flag, entity) => {
    rows.fill(flag, starts[entity], starts[entity + 1]);
  });
  return rows;
}

const nearNote = (entities: number): string =>
  `${counted(entities, 'entity', 'entities')} had a sequence that nearly equalled a real one, and ${entities === 1 ? 'was' : 'were'} redrawn.`;
