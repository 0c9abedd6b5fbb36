/** A method generates the units of a table: rows, or entities with their rows. */
import type { FormalPrivacy } from '../../contract/privacy.ts';
import type { TableRequest } from '../../contract/requests.ts';
import type { Judgement } from '../../contract/verdicts.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import type { CellTable } from '../../tables/table.ts';
import type { CopyRule } from '../disclosure/avoidCopies.ts';
import type { Redraw } from '../disclosure/breaches.ts';
import type { CrossFit } from '../judge/parts.ts';
import type { ModelTable, OpenTextResources } from '../models/model.ts';
import type { Plan } from '../plan/plan.ts';
import type { Progress } from '../progress.ts';
import type { Split } from '../table/split.ts';
import type { FittedRole } from './rows/fitRows.ts';

export interface RealTable {
  profile: Profile;
  cells: CellTable;
}

/** The run that fitted the models. */
export interface ModelSource {
  request: TableRequest;
  seed: number;
  jobId: string | null;
}

export interface OpenTask {
  real: RealTable;
  request: TableRequest;
  /** Null if this run fits models. */
  source: ModelSource | null;
  seed: number;
  /** Stream of this run. */
  random: RandomStream;
  /** Stream of the fit, which decides the held-out rows. */
  fitting: RandomStream;
  progress: Progress;
  openText: OpenTextResources | undefined;
}

export interface OpenedTable {
  plan: Plan;
  real: ModelTable;
  split: Split;
  /** Models learn from both parts, so that no attack can be judged. */
  isSplit: boolean;
  /** Sentences for the metrics. */
  notes: string[];
  /** Null if rows are independent. */
  entities: { key: string; constants: ReadonlySet<string> } | null;
  /** Refits models to parts of the rows, for figures; null if impossible. */
  refit: ((random: RandomStream) => CrossFit) | null;
  crossFits: CrossFits;
  fit(): Promise<Generator>;
  /** Throws JobError `invalid_data` if another version saved the models, or for another table. */
  restore(saved: string): Promise<Generator>;
}

export interface CrossFits {
  /** Allowed if no rows are held out. */
  withoutHoldout: boolean;
  /** Allowed if few rows are held out. */
  attacks: boolean;
}

export interface Generator {
  models: readonly FittedRole[];
  drawsTargetInSequence: boolean;
  /** Draws rows before disclosure rules apply. */
  draw(random: RandomStream, notes: string[]): Promise<ModelTable>;
  /** Replaces copies; null if a formal guarantee covers every row. */
  disclosure: Disclosure | null;
  promise: FormalPrivacy | null;
  /** Verdicts on the first table. */
  verdicts: readonly Judgement[];
  /** Returns the input of `restore`, or null if too large to keep. */
  save(verdicts: readonly Judgement[] | null): string | null;
}

export interface Disclosure {
  redraw: Redraw;
  copies(random: RandomStream): CopyRule;
}
