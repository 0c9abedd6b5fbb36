/** Method: how the units of a table arise, each of which is a row or an entity with its rows. */
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

/** A real table: all its cells as text, and the profile of the same bytes. */
export interface RealTable {
  profile: Profile;
  cells: CellTable;
}

/** The run that fitted the models from which more rows are drawn. */
export interface ModelSource {
  request: TableRequest;
  seed: number;
  /** Null if no job fitted them. */
  jobId: string | null;
}

export interface OpenTask {
  real: RealTable;
  request: TableRequest;
  /** Null if models are to be fitted. */
  source: ModelSource | null;
  /** Seed of the run that fits, or fitted, the models. */
  seed: number;
  /** Stream of this run. */
  random: RandomStream;
  /** Stream of the run that fits, or fitted, the models: it decides which rows are held out. */
  fitting: RandomStream;
  progress: Progress;
  openText: OpenTextResources | undefined;
}

/** The real table as its models see it. */
export interface OpenedTable {
  plan: Plan;
  real: ModelTable;
  split: Split;
  /** Whether both parts of the split are learned from: then no attack can be judged. */
  isSplit: boolean;
  /** Sentences for the metrics; each step may add some. */
  notes: string[];
  /** The key of entities and the columns that are constant within them; null if each row stands alone. */
  entities: { key: string; constants: ReadonlySet<string> } | null;
  /** Models of parts of the rows, for figures; null if no models can be fitted again. */
  refit: ((random: RandomStream) => CrossFit) | null;
  /** When figures may fit models again. */
  crossFits: CrossFits;
  fit(): Promise<Generator>;
  /** Throws JobError `invalid_data` if another version saved the models, or for another table. */
  restore(saved: string): Promise<Generator>;
}

export interface CrossFits {
  /** If no rows are held out. */
  withoutHoldout: boolean;
  /** For the attacks, if few rows are held out. */
  attacks: boolean;
}

/** What draws units. */
export interface Generator {
  models: readonly FittedRole[];
  /** Whether the target is drawn with the other columns of its entity. */
  drawsTargetInSequence: boolean;
  /** Rows as models draw them: rules of disclosure come after. Adds sentences to `notes`. */
  draw(random: RandomStream, notes: string[]): Promise<ModelTable>;
  /** How copies are found and replaced; null if a formal promise covers every row as it is drawn. */
  disclosure: Disclosure | null;
  /** The promise that rows were drawn under. */
  promise: FormalPrivacy | null;
  /** Verdicts on the table that the models first made; empty before that. */
  verdicts: readonly Judgement[];
  /** Text from which `restore` makes an equal generator; null if it is too large to be kept. */
  save(verdicts: readonly Judgement[] | null): string | null;
}

export interface Disclosure {
  redraw: Redraw;
  copies(random: RandomStream): CopyRule;
}
