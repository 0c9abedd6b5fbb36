/** What must not come out of a column of text, learnt from its training rows and kept as hashes. */
import { z } from 'zod';
import type { JsonValue } from '../model.ts';
import { float64Schema, saveArray } from '../shared/savedArrays.ts';
import { type KnownContacts, learnContacts } from './inventContacts.ts';
import { hasRun, learnRuns, type SharedRuns } from './sharedRuns.ts';
import { hashText, protectedTexts } from './verbatim.ts';

export interface TextGuard {
  /** Whole texts of few rows. */
  whole: ReadonlySet<number>;
  runs: SharedRuns;
  contacts: KnownContacts;
}

export const learnGuard = (texts: readonly string[]): TextGuard => ({
  whole: protectedTexts(texts),
  runs: learnRuns(texts),
  contacts: learnContacts(texts),
});

export interface TextJudge {
  mayStand(text: string): boolean;
  /** Whether a text may stand that has this in it, as far as can be said: to end in time what may not. */
  mayHave(part: string): boolean;
}

/** Of the texts of `rows` rows: no whole text, and no long run in more of them than in real rows. */
export function textJudge({ whole, runs }: TextGuard, rows: number): TextJudge {
  let left = Math.floor(runs.rate * rows);
  return {
    mayStand(text) {
      if (whole.has(hashText(text))) return false;
      if (!hasRun(runs, text)) return true;
      return left-- > 0;
    },
    mayHave: (part) => left > 0 || !hasRun(runs, part),
  };
}

const hashesSchema = float64Schema.transform((hashes): ReadonlySet<number> => new Set(hashes));

export const guardSchema = z.object({
  whole: hashesSchema,
  runs: z.object({ windows: float64Schema, rate: z.number() }),
  contacts: z.object({ all: hashesSchema, common: hashesSchema }),
});

export const saveGuard = ({ whole, runs, contacts }: TextGuard): JsonValue => ({
  whole: saveHashes(whole),
  runs: { windows: saveArray(runs.windows), rate: runs.rate },
  contacts: { all: saveHashes(contacts.all), common: saveHashes(contacts.common) },
});

const saveHashes = (hashes: ReadonlySet<number>): JsonValue => saveArray(Float64Array.from(hashes));
