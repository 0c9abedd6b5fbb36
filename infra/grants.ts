/**
 * What each function, the job and the upload service may do: what its code calls, on what it calls it. The only place
 * where policies are made.
 */
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { CALLBACK_PHASE, ITEMS, RECORDS } from '../adapters/aws/names.ts';
import type { Need, Route } from '../api/http/route.ts';
import { upload } from '../api/routes/upload.ts';
import { JOBS_PREFIX, LEDGERS_PREFIX, RESULT_FILE_NAME } from '../service/job/objectKeys.ts';
import { type FunctionName, isTimed, routesWithin, type TimedFunctionName } from './lambdas.ts';
import { batchArn } from './settings.ts';

/** Items by their partition key: one, or all that begin so. */
const ANY_JOB = `${ITEMS.jobPrefix}*`;
const ANY_ANSWER = `${ITEMS.answerPrefix}*`;
const ANY_CALLBACK = `${ITEMS.callbackPrefix}*`;
const ANY_CALLBACK_SECRET = `${ITEMS.callbackSecretPrefix}*`;
const ANY_KEY = `${ITEMS.keyPrefix}*`;
const ANY_LEDGER = `${ITEMS.ledgerPrefix}*`;

type ItemAction = 'GetItem' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem';
type ObjectAction = 'GetObject' | 'PutObject' | 'DeleteObject' | 'AbortMultipartUpload';

const allow = (
  actions: string[],
  resources: string[],
  conditions: Record<string, Record<string, string | string[]>> = {},
): PolicyStatement => new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions });

export class Access {
  readonly #scope: Construct;
  readonly #tableArn: string;
  readonly #bucketArn: string;

  constructor(scope: Construct, props: { tableArn: string; bucketArn: string }) {
    this.#scope = scope;
    this.#tableArn = props.tableArn;
    this.#bucketArn = props.bucketArn;
  }

  items(actions: readonly ItemAction[], items: readonly string[]): PolicyStatement {
    return allow(
      actions.map((action) => `dynamodb:${action}`),
      [this.#tableArn],
      { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...items] } },
    );
  }

  /** Jobs that are over, or calls that wait, by the index. */
  inPhase(phase: 'ended' | typeof CALLBACK_PHASE): PolicyStatement {
    return allow(['dynamodb:Query'], [`${this.#tableArn}/index/${RECORDS.phaseIndex}`], {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [phase] },
    });
  }

  /** Jobs by the key that made them, by the index. */
  jobsOfKeys(): PolicyStatement {
    return allow(['dynamodb:Query'], [`${this.#tableArn}/index/${RECORDS.ownerIndex}`]);
  }

  /**
   * Objects of jobs by the end of their key. Listing comes with it: without it S3 answers 403 in place of 404 for an
   * object that is not there, and the key of such a GetObject carries no prefix that a plain condition could compare.
   */
  objects(actions: readonly ObjectAction[], ends: readonly string[]): PolicyStatement[] {
    const listing = allow(['s3:ListBucket'], [this.#bucketArn], {
      StringLikeIfExists: { 's3:prefix': `${JOBS_PREFIX}*` },
    });
    const resources = ends.map((end) => `${this.#bucketArn}/${JOBS_PREFIX}${end}`);
    return [
      allow(
        actions.map((action) => `s3:${action}`),
        resources,
      ),
      listing,
    ];
  }

  /** Ledgers of version 0.2, and samples of the rows of tables. */
  rowSamples(): PolicyStatement[] {
    return [
      allow(['s3:GetObject', 's3:PutObject'], [`${this.#bucketArn}/${LEDGERS_PREFIX}*`]),
      allow(['s3:ListBucket'], [this.#bucketArn], { StringLikeIfExists: { 's3:prefix': `${LEDGERS_PREFIX}*` } }),
    ];
  }

  submit(queues: readonly string[], definitions: readonly string[]): PolicyStatement[] {
    const resources = [
      ...queues.map((name) => batchArn(this.#scope, 'job-queue', name)),
      // Any revision: a deployment must not refuse a submission that is on its way.
      ...definitions.map((name) => batchArn(this.#scope, 'job-definition', `${name}:*`)),
    ];
    return [allow(['batch:SubmitJob'], resources), allow(['batch:TagResource'], [this.#anyBatchJob()])];
  }

  endJobs(): PolicyStatement {
    return allow(['batch:TerminateJob'], [this.#anyBatchJob()]);
  }

  /** Batch's List and Describe calls know no resource: IAM takes only '*' for them. */
  watch(actions: readonly ('ListJobs' | 'DescribeJobs' | 'DescribeComputeEnvironments')[]): PolicyStatement {
    return allow(
      actions.map((action) => `batch:${action}`),
      ['*'],
    );
  }

  /** Batch names a job by an id that it makes itself, so that there is no narrower name. */
  #anyBatchJob(): string {
    return batchArn(this.#scope, 'job', '*');
  }
}

// Who may do what.

export interface Targets {
  queues: readonly string[];
  definitions: readonly string[];
}

type Grants = (access: Access, targets: Targets) => PolicyStatement[];

const UPLOADS = '*/upload';
const PROFILES = '*/profile.json';
const COLUMNS = '*/columns.json';
/** What a later run of a job, or of a sample, begins with. */
const KEPT = ['*/attempt-*/model.json', '*/attempt-*/text-checkpoint'];
const RESULTS = `*/${RESULT_FILE_NAME}`;
const REPORTS = ['*/report*.html', '*/report*.json'];
const MANIFESTS = '*/manifest.json';
const SAMPLE_MARKS = '*/samples/*';
const UPLOADING_MARKS = '*/uploading';
const ERASING_MARKS = '*/erasing';
const OUTPUTS = '*/attempt-*/*';
const ALL = '*';

/** Calls that wait are looked for, made and noted. */
const webhookSender = (access: Access) => [
  access.inPhase(CALLBACK_PHASE),
  access.items(['GetItem', 'BatchGetItem', 'UpdateItem', 'DeleteItem'], [ANY_CALLBACK]),
  access.items(['GetItem', 'PutItem'], [ANY_CALLBACK_SECRET]),
];

/** The charge of an attempt that never ran is taken back when it ends or is erased. */
const takeBackCharge = (access: Access) => [access.items(['GetItem', 'UpdateItem'], [ANY_LEDGER])];

/** A job's record is written; its slot is freed, in one transaction with the condition that the job is over. */
const endAttempt = (access: Access) => [
  access.items(['UpdateItem', 'ConditionCheckItem'], [ANY_JOB]),
  access.items(['UpdateItem'], [ITEMS.slots]),
];

/** The slots, and the records of the jobs that hold them. */
const readActive = (access: Access) => [
  access.items(['GetItem'], [ITEMS.slots]),
  access.items(['BatchGetItem'], [ANY_JOB]),
];

/** The record goes, and the number of jobs with it. */
const eraseRecord = (access: Access) => [
  access.items(['DeleteItem'], [ANY_JOB]),
  access.items(['UpdateItem'], [ITEMS.total]),
];

/** What is kept for a key. */
const jobsOfKey = (access: Access) => [access.jobsOfKeys(), access.items(['BatchGetItem'], [ANY_JOB])];

/** The record of a new job is written; where that fails, it goes. */
const makeJob = (access: Access) => [
  ...jobsOfKey(access),
  access.items(['PutItem'], [ANY_JOB]),
  ...eraseRecord(access),
];

/** Where anything fails, what was made is erased. */
const takeUpload = (access: Access) => [
  ...makeJob(access),
  ...access.objects(['GetObject', 'PutObject', 'DeleteObject'], [ALL]),
];

/** The line, and who is before those that wait. */
const seeQueue = (access: Access) => [access.items(['GetItem'], [ITEMS.queue]), ...readActive(access)];

/** A slot is taken and the job submitted, or it joins the line; where that fails, the attempt ends. */
const startAttempt: Grants = (access, { queues, definitions }) => [
  ...seeQueue(access),
  access.items(['UpdateItem'], [ITEMS.queue]),
  access.items(['ConditionCheckItem'], [ITEMS.slots]),
  ...endAttempt(access),
  ...access.submit(queues, definitions),
  access.watch(['ListJobs']),
];

const stopAttempt = (access: Access) => [
  ...endAttempt(access),
  ...takeBackCharge(access),
  access.items(['UpdateItem'], [ITEMS.queue]),
  access.watch(['ListJobs']),
  access.endJobs(),
];

const NEEDS: Record<Need, Grants> = {
  'count jobs': (access) => [
    ...readActive(access),
    access.items(['GetItem'], [ITEMS.total, ITEMS.gpu]),
    access.watch(['DescribeComputeEnvironments']),
  ],
  'list jobs': jobsOfKey,
  // Together with the key: see `answer`.
  'find job': () => [],
  'find callback': (access) => [access.items(['GetItem'], [ANY_CALLBACK])],
  'see queue': seeQueue,
  'take upload': takeUpload,
  'repeat upload': (access) => [
    ...makeJob(access),
    ...access.objects(['GetObject', 'PutObject'], [UPLOADS, PROFILES, COLUMNS]),
    ...access.objects(['AbortMultipartUpload'], [UPLOADS]),
    ...access.objects(['PutObject'], [UPLOADING_MARKS]),
    ...access.objects(['DeleteObject'], [ALL]),
  ],
  'read profile': (access) => access.objects(['GetObject'], [PROFILES]),
  'read columns': (access) => access.objects(['GetObject'], [COLUMNS]),
  'read result': (access) => access.objects(['GetObject'], [RESULTS]),
  'read report': (access) => access.objects(['GetObject'], REPORTS),
  'read manifest': (access) => access.objects(['GetObject'], [MANIFESTS]),
  'start job': (access, targets) => [
    access.items(['UpdateItem', 'DeleteItem'], [ANY_CALLBACK]),
    ...access.rowSamples(),
    ...takeBackCharge(access),
    ...startAttempt(access, targets),
  ],
  'start sample': (access, targets) => [
    access.items(['PutItem'], [ANY_JOB]),
    ...eraseRecord(access),
    ...access.objects(['PutObject', 'DeleteObject'], [SAMPLE_MARKS]),
    ...startAttempt(access, targets),
  ],
  'start comparison': startAttempt,
  'cancel job': stopAttempt,
  'release rows': (access) => [access.items(['UpdateItem'], [ANY_JOB])],
  'erase job': (access) => [
    ...stopAttempt(access),
    ...eraseRecord(access),
    access.items(['DeleteItem'], [ANY_CALLBACK]),
    ...access.objects(['PutObject'], [ERASING_MARKS]),
    ...access.objects(['DeleteObject'], [ALL]),
  ],
  sign: (access) => [
    access.items(['GetItem', 'PutItem'], [ITEMS.signing]),
    access.items(['PutItem'], [ITEMS.signingPublic]),
  ],
  'name signing key': (access) => [access.items(['GetItem'], [ITEMS.signingPublic])],
  'share callback secret': (access) => [access.items(['GetItem', 'PutItem'], [ANY_CALLBACK_SECRET])],
  'give assistant bundle': () => [],
};

/** The key of a request is looked up, and the job that it names; the answer of a repeatable one is kept. */
function answer(routes: readonly Route[], access: Access): PolicyStatement[] {
  if (routes.every((route) => route.access === 'public')) return [];
  const findsJob = routes.some(({ needs }) => needs?.includes('find job'));
  return [
    access.items(['GetItem'], findsJob ? [ANY_JOB, ANY_KEY] : [ANY_KEY]),
    ...(routes.some(({ repeatable }) => repeatable) ? [access.items(['UpdateItem'], [ANY_ANSWER])] : []),
  ];
}

const TIMED_GRANTS: Record<TimedFunctionName, Grants> = {
  reconcile: (access, targets) => [
    access.items(['GetItem'], [ANY_JOB]),
    ...startAttempt(access, targets),
    ...takeBackCharge(access),
    ...webhookSender(access),
    access.watch(['DescribeJobs']),
    access.endJobs(),
  ],
  expire: (access) => [
    access.items(['GetItem', 'BatchGetItem'], [ANY_JOB]),
    access.inPhase('ended'),
    access.items(['GetItem', 'UpdateItem'], [ITEMS.clock]),
    access.items(['DeleteItem'], [ANY_CALLBACK]),
    ...eraseRecord(access),
    // An erasure that was cut off is finished, of a job that runs, too.
    ...stopAttempt(access),
    ...access.objects(['PutObject'], [ERASING_MARKS]),
    ...access.objects(['DeleteObject'], [ALL]),
  ],
};

/** What a function may do: what the routes need that it answers, and those that they call. */
export function grantsOf(name: FunctionName): Grants {
  if (isTimed(name)) return TIMED_GRANTS[name];
  const routes = routesWithin(name);
  const needs = [...new Set(routes.flatMap((route) => route.needs ?? []))];
  return (access, targets) => [...answer(routes, access), ...needs.flatMap((need) => NEEDS[need](access, targets))];
}

/** The files that come here are large enough to be stored in parts. */
export const uploadServiceGrants = (access: Access): PolicyStatement[] => [
  ...answer([upload], access),
  ...takeUpload(access),
  ...access.objects(['AbortMultipartUpload'], [ALL]),
];

/**
 * A job reads its upload, writes what it made, and says how it fares and what GPU it has. Batch has one role for all jobs:
 * which job's objects they are, no policy can say (SECURITY.md). None writes an upload, and none reads a result.
 */
export const jobGrants = (access: Access): PolicyStatement[] => [
  access.items(['GetItem'], [ANY_JOB]),
  ...endAttempt(access),
  access.items(['UpdateItem'], [ITEMS.gpu]),
  ...access.objects(['GetObject'], [UPLOADS, PROFILES, ...KEPT]),
  ...access.objects(['PutObject', 'DeleteObject', 'AbortMultipartUpload'], [OUTPUTS]),
];
