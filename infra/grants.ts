/** All policies: each process may do only what its code calls. */
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { CALLBACK_PHASE, ITEMS, RECORDS } from '../adapters/aws/names.ts';
import type { Need, Route } from '../api/http/route.ts';
import { upload } from '../api/routes/upload.ts';
import { JOBS_PREFIX, LEDGERS_PREFIX, RESULT_FILE_NAME } from '../service/job/objectKeys.ts';
import { type FunctionName, isTimed, routesWithin, type TimedFunctionName } from './lambdas.ts';
import { batchArn } from './settings.ts';

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

  inPhase(phase: 'ended' | typeof CALLBACK_PHASE): PolicyStatement {
    return allow(['dynamodb:Query'], [`${this.#tableArn}/index/${RECORDS.phaseIndex}`], {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [phase] },
    });
  }

  jobsOfKeys(): PolicyStatement {
    return allow(['dynamodb:Query'], [`${this.#tableArn}/index/${RECORDS.ownerIndex}`]);
  }

  /**
   * Includes listing, without which S3 answers 403 instead of 404 for missing objects, and such a GetObject has no
   * prefix to compare.
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

  rowSamples(): PolicyStatement[] {
    return [
      allow(['s3:GetObject', 's3:PutObject'], [`${this.#bucketArn}/${LEDGERS_PREFIX}*`]),
      allow(['s3:ListBucket'], [this.#bucketArn], { StringLikeIfExists: { 's3:prefix': `${LEDGERS_PREFIX}*` } }),
    ];
  }

  submit(queues: readonly string[], definitions: readonly string[]): PolicyStatement[] {
    const resources = [
      ...queues.map((name) => batchArn(this.#scope, 'job-queue', name)),
      // Any revision, so that a deployment does not refuse a submission in flight.
      ...definitions.map((name) => batchArn(this.#scope, 'job-definition', `${name}:*`)),
    ];
    return [allow(['batch:SubmitJob'], resources), allow(['batch:TagResource'], [this.#anyBatchJob()])];
  }

  endJobs(): PolicyStatement {
    return allow(['batch:TerminateJob'], [this.#anyBatchJob()]);
  }

  /** Batch's List and Describe calls accept only '*'. */
  watch(actions: readonly ('ListJobs' | 'DescribeJobs' | 'DescribeComputeEnvironments')[]): PolicyStatement {
    return allow(
      actions.map((action) => `batch:${action}`),
      ['*'],
    );
  }

  /** Batch chooses job ids itself, so nothing narrower is possible. */
  #anyBatchJob(): string {
    return batchArn(this.#scope, 'job', '*');
  }
}

export interface Targets {
  queues: readonly string[];
  definitions: readonly string[];
}

type Grants = (access: Access, targets: Targets) => PolicyStatement[];

const UPLOADS = '*/upload';
const PROFILES = '*/profile.json';
const COLUMNS = '*/columns.json';
/** Read by later runs and samples. */
const KEPT = ['*/attempt-*/model.json', '*/attempt-*/text-checkpoint'];
const RESULTS = `*/${RESULT_FILE_NAME}`;
const REPORTS = ['*/report*.html', '*/report*.json'];
const MANIFESTS = '*/manifest.json';
const SAMPLE_MARKS = '*/samples/*';
const UPLOADING_MARKS = '*/uploading';
const ERASING_MARKS = '*/erasing';
const OUTPUTS = '*/attempt-*/*';
const ALL = '*';

const webhookSender = (access: Access) => [
  access.inPhase(CALLBACK_PHASE),
  access.items(['GetItem', 'BatchGetItem', 'UpdateItem', 'DeleteItem'], [ANY_CALLBACK]),
  access.items(['GetItem', 'PutItem'], [ANY_CALLBACK_SECRET]),
];

/** Ends and erasures take back the charge of an attempt that never ran. */
const takeBackCharge = (access: Access) => [access.items(['GetItem', 'UpdateItem'], [ANY_LEDGER])];

/** Freeing a slot checks in its transaction that the job is over. */
const endAttempt = (access: Access) => [
  access.items(['UpdateItem', 'ConditionCheckItem'], [ANY_JOB]),
  access.items(['UpdateItem'], [ITEMS.slots]),
];

const readActive = (access: Access) => [
  access.items(['GetItem'], [ITEMS.slots]),
  access.items(['BatchGetItem'], [ANY_JOB]),
];

const eraseRecord = (access: Access) => [
  access.items(['DeleteItem'], [ANY_JOB]),
  access.items(['UpdateItem'], [ITEMS.total]),
];

const jobsOfKey = (access: Access) => [access.jobsOfKeys(), access.items(['BatchGetItem'], [ANY_JOB])];

/** Erases the record after a failure. */
const makeJob = (access: Access) => [
  ...jobsOfKey(access),
  access.items(['PutItem'], [ANY_JOB]),
  ...eraseRecord(access),
];

/** Erases everything after a failure. */
const takeUpload = (access: Access) => [
  ...makeJob(access),
  ...access.objects(['GetObject', 'PutObject', 'DeleteObject'], [ALL]),
];

const seeQueue = (access: Access) => [access.items(['GetItem'], [ITEMS.queue]), ...readActive(access)];

/** Ends the attempt after a failure. */
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
  // Version 0.1 uploads are answered from the profile.
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

/** Looks up key and job, and stores repeatable answers. */
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
    // Finishes interrupted erasures, also of running jobs.
    ...stopAttempt(access),
    ...access.objects(['PutObject'], [ERASING_MARKS]),
    ...access.objects(['DeleteObject'], [ALL]),
  ],
};

export function grantsOf(name: FunctionName): Grants {
  if (isTimed(name)) return TIMED_GRANTS[name];
  const routes = routesWithin(name);
  const needs = [...new Set(routes.flatMap((route) => route.needs ?? []))];
  return (access, targets) => [...answer(routes, access), ...needs.flatMap((need) => NEEDS[need](access, targets))];
}

/** Large files are stored in parts. */
export const uploadServiceGrants = (access: Access): PolicyStatement[] => [
  ...answer([upload], access),
  ...takeUpload(access),
  ...access.objects(['AbortMultipartUpload'], [ALL]),
];

/**
 * Batch has one role for all jobs, so no policy can separate their objects (SECURITY.md). Jobs write no uploads and
 * read no results.
 */
export const jobGrants = (access: Access): PolicyStatement[] => [
  access.items(['GetItem'], [ANY_JOB]),
  ...endAttempt(access),
  access.items(['UpdateItem'], [ITEMS.gpu]),
  ...access.objects(['GetObject'], [UPLOADS, PROFILES, ...KEPT]),
  ...access.objects(['PutObject', 'DeleteObject', 'AbortMultipartUpload'], [OUTPUTS]),
];
