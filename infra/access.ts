/** What may be done to which items and objects: the only place where policies are made. */
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { JOBS_PREFIX } from '../domain/job/objectKeys.ts';
import { type CALLBACK_PHASE, ITEMS, RECORDS } from '../domain/job/recordNames.ts';
import { batchArn } from './names.ts';

/** Items by their partition key: one, or all that begin so. */
export const ANY_JOB = `${ITEMS.jobPrefix}*`;
export const ANY_ANSWER = `${ITEMS.answerPrefix}*`;
export const ANY_CALLBACK = `${ITEMS.callbackPrefix}*`;
export const ANY_CALLBACK_SECRET = `${ITEMS.callbackSecretPrefix}*`;
export const ANY_KEY = `${ITEMS.keyPrefix}*`;

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
