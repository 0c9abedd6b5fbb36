/** Long computations of single requests; adapters run them where they block no other request. */
import { fromStore, ServiceError } from '../packages/contract/errors.ts';
import type { FamilyChoice } from '../packages/contract/families.ts';
import type { Estimate, Stage } from '../packages/contract/replies.ts';
import type { JobRequest, TableRequest } from '../packages/contract/requests.ts';
import { type ComparedRows, estimateComparison } from '../packages/synthesis/estimate/estimateComparison.ts';
import { estimateJob, roughEstimate } from '../packages/synthesis/estimate/estimateJob.ts';
import { type Machine, REFERENCE_MACHINE } from '../packages/synthesis/estimate/machine.ts';
import type { MachinePrices } from '../packages/synthesis/estimate/sizes.ts';
import type { Place } from '../packages/synthesis/estimate/takes.ts';
import { detectFamily } from '../packages/synthesis/family/detectFamily.ts';
import { checkConditions } from '../packages/synthesis/request/checkConditions.ts';
import { isPrivate, withDomainRoles } from '../packages/synthesis/request/checkPrivacy.ts';
import { checkRequest, withTarget } from '../packages/synthesis/request/checkRequest.ts';
import { findColumn, requireTarget } from '../packages/synthesis/request/requireColumn.ts';
import { CONVERSIONS, type ConversionName } from '../packages/tables/formats.ts';
import { decodeProfile, type Profile } from '../packages/tables/profile/profile.ts';
import type { RowDigest } from '../packages/tables/profile/rowDigest.ts';
import { findCellTypes, type OutputFormat } from '../packages/tables/records.ts';
import type { JobEstimate } from './job/job.ts';
import type { ObjectStore } from './ports.ts';

/** An aborted signal stops the work, which rejects with its reason. */
export interface WorkFor {
  keyId: string;
  signal?: AbortSignal | undefined;
}

/** `profile` is UTF-8 JSON. Its buffer may be transferred, so do not use it afterwards. */
export interface HeavyWork {
  /** Throws `column_not_found`, and `invalid_parameter` for a column that cannot be a target. */
  detectFamily(profile: Uint8Array, target: string, as: WorkFor): Promise<FamilyChoice>;
  /** Throws what `checkRequest` throws. */
  estimate(profile: Uint8Array, request: TableRequest, prices: MachinePrices | null, as: WorkFor): Promise<Estimate>;
  estimateComparison(profile: Uint8Array, comparison: Comparison, as: WorkFor): Promise<Estimate>;
  countRows(profile: Uint8Array, as: WorkFor): Promise<number>;
  checkRequest(profile: Uint8Array, request: TableRequest, as: WorkFor): Promise<Checked>;
  checkConditions(profile: Uint8Array, request: JobRequest, as: WorkFor): Promise<JobEstimate>;
  /**
   * `bytes` is set if the length is known. Returns undefined without a result; throws `invalid_parameter` if the format
   * cannot hold the table.
   */
  convert(conversion: Conversion, as: WorkFor): Promise<Converted | undefined>;
}

export interface Comparison {
  request: TableRequest;
  rows: ComparedRows;
  prices: MachinePrices | null;
}

export interface Checked {
  keys: string[];
  estimate: JobEstimate;
  target_col: string | null;
  /** Identifies the ledger of a private request; null for others, and for uploads of older versions. */
  row_digest: RowDigest | null;
}

/** `numeric` lists columns to write as numbers if all their cells are. */
export interface Conversion {
  source: string;
  target: string;
  format: ConversionName;
  numeric: readonly string[];
}

export interface Converted {
  bytes?: number;
  body: AsyncIterable<Uint8Array>;
}

/** Includes the machine, so that all threads estimate alike. */
export type Question =
  | { kind: 'family'; target: string }
  | { kind: 'estimate'; request: TableRequest; prices: MachinePrices | null; machine: Machine }
  | ({ kind: 'comparison'; machine: Machine } & Comparison)
  | { kind: 'rows' }
  | { kind: 'check'; request: TableRequest; machine: Machine }
  | { kind: 'conditions'; request: JobRequest; machine: Machine };

const profileFrom = (bytes: Uint8Array): Profile => fromStore(() => decodeProfile(bytes));

export function answerQuestion(
  question: Question,
  bytes: Uint8Array,
): FamilyChoice | Estimate | number | Checked | JobEstimate {
  const profile = profileFrom(bytes);
  switch (question.kind) {
    case 'family':
      return familyOf(profile, question.target);
    case 'estimate':
      return estimateOf(profile, question.request, question);
    case 'comparison':
      return comparisonOf(profile, question, question.machine);
    case 'rows':
      return profile.rows;
    case 'check':
      return checkedOf(profile, question.request, question.machine);
    case 'conditions':
      return checkedSample(profile, question.request, question.machine);
  }
}

function familyOf(profile: Profile, target: string): FamilyChoice {
  const column = findColumn(profile, target, 'target_col');
  requireTarget(profile, column);
  return detectFamily(profile, column);
}

function checkedOf(profile: Profile, asked: TableRequest, machine: Machine): Checked {
  const request = withTarget(asked, profile);
  const keys = checkRequest(request, profile);
  return {
    keys,
    estimate: roughEstimate(profile, request, machine),
    target_col: request.target_col,
    row_digest: isPrivate(request) ? (profile.row_digest ?? null) : null,
  };
}

/** Samples fit no model. */
const OF_SAMPLES: readonly Stage[] = ['start', 'metrics', 'write'];

function checkedSample(profile: Profile, request: JobRequest, machine: Machine): JobEstimate {
  if (!isPrivate(request)) checkConditions(request, profile);
  else if (request.conditions.length > 0)
    throw new ServiceError({ reason: 'privacy_excludes_field', name: 'conditions' }, { field: 'conditions' });
  const { stages, memory_mb: memoryMb } = estimateJob(profile, { ...request, target_col: null }, { machine });
  const own = stages.filter(({ stage }) => OF_SAMPLES.includes(stage));
  return { memoryMb, seconds: own.reduce((sum, { seconds }) => sum + seconds, 0) };
}

function estimateOf(profile: Profile, asked: TableRequest, place: Place): Estimate {
  const request = withTarget(withDomainRoles(asked), profile);
  checkRequest(request, profile);
  return estimateJob(profile, request, place);
}

function comparisonOf(profile: Profile, { request: asked, rows, prices }: Comparison, machine: Machine): Estimate {
  const request = withTarget(asked, profile);
  checkRequest(request, profile);
  return estimateComparison(profile, request, rows, { prices, machine });
}

/** Calls `open` twice for typed formats. Throws before the first piece if the format cannot hold the table. */
export async function* convertCsv(
  open: () => AsyncIterable<Uint8Array>,
  { format, numeric }: Pick<Conversion, 'format' | 'numeric'>,
): AsyncGenerator<Uint8Array> {
  const output: OutputFormat = CONVERSIONS[format];
  if (!output.typed) return yield* output.convert(open());
  const types = await findCellTypes(open(), new Set(numeric));
  const why = output.refuse?.(types);
  if (why !== undefined) throw new ServiceError(why, { field: 'format' });
  yield* output.convert(open(), types);
}

/** Works in the caller's thread: for a process that answers one request at a time. */
export const inlineWork = (objects: ObjectStore, machine = REFERENCE_MACHINE): HeavyWork => ({
  detectFamily: async (profile, target) => familyOf(profileFrom(profile), target),
  estimate: async (profile, request, prices) => estimateOf(profileFrom(profile), request, { prices, machine }),
  estimateComparison: async (profile, comparison) => comparisonOf(profileFrom(profile), comparison, machine),
  countRows: async (profile) => profileFrom(profile).rows,
  checkRequest: async (profile, request) => checkedOf(profileFrom(profile), request, machine),
  checkConditions: async (profile, request) => checkedSample(profileFrom(profile), request, machine),
  async convert(conversion) {
    if (!(await objects.get(conversion.source))) return undefined;
    return { body: await begun(convertCsv(() => bodyOf(objects, conversion.source), conversion)) };
  },
});

/** Reads one piece ahead, so that refusals precede the answer. */
async function begun(pieces: AsyncGenerator<Uint8Array>): Promise<AsyncGenerator<Uint8Array>> {
  const first = await pieces.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* pieces;
  })();
}

/** Throws if the object is gone. */
export async function* bodyOf(objects: ObjectStore, key: string): AsyncGenerator<Uint8Array> {
  const found = await objects.get(key);
  if (!found) throw new Error('the object was erased while it was read');
  yield* found.body;
}
