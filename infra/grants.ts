/** What each function, the job and the upload service may do: what its code calls, on what it calls it. */
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { RESULT_FILE_NAME } from '../domain/job/objectKeys.ts';
import { CALLBACK_PHASE, ITEMS } from '../domain/job/recordNames.ts';
import { type Access, ANY_ANSWER, ANY_CALLBACK, ANY_CALLBACK_SECRET, ANY_JOB, ANY_KEY } from './access.ts';
import type { FunctionName } from './lambdaNames.ts';

export interface Targets {
  queues: readonly string[];
  definitions: readonly string[];
}

type Grants = (access: Access, targets: Targets) => PolicyStatement[];

const PROFILES = '*/profile.json';
const RESULTS = `*/${RESULT_FILE_NAME}`;
const REPORTS = ['*/report*.html', '*/report*.json'];
const MANIFESTS = '*/manifest.json';
const SAMPLE_MARKS = '*/samples/*';
const OUTPUTS = '*/attempt-*/*';
const ALL = '*';

/** Every route with a key looks the key up; most look a job up. */
const findKey = (access: Access) => access.items(['GetItem'], [ANY_KEY]);
const findJob = (access: Access) => access.items(['GetItem'], [ANY_JOB, ANY_KEY]);

/** What a request is answered with is kept for when it comes again. */
const keepAnswer = (access: Access) => access.items(['UpdateItem'], [ANY_ANSWER]);

const findCallback = (access: Access) => access.items(['GetItem'], [ANY_CALLBACK]);

/** Calls that wait are looked for, made and noted. */
const callOut = (access: Access) => [
  access.inPhase(CALLBACK_PHASE),
  access.items(['GetItem', 'BatchGetItem', 'UpdateItem', 'DeleteItem'], [ANY_CALLBACK]),
  access.items(['GetItem', 'PutItem'], [ANY_CALLBACK_SECRET]),
];

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

/** Where anything fails, what was made is erased. */
const takeUpload = (access: Access) => [
  findJob(access),
  access.items(['PutItem'], [ANY_JOB]),
  keepAnswer(access),
  ...eraseRecord(access),
  ...access.objects(['GetObject', 'PutObject', 'DeleteObject'], [ALL]),
];

/** What each route with a key may do. */
const ROUTE_GRANTS = {
  health: (access) => [
    findKey(access),
    ...readActive(access),
    access.items(['GetItem'], [ITEMS.total, ITEMS.gpu]),
    access.watch(['DescribeComputeEnvironments']),
  ],
  upload: takeUpload,
  detectFamily: (access) => [findJob(access), ...access.objects(['GetObject'], [PROFILES])],
  estimate: (access) => [findJob(access), ...access.objects(['GetObject'], [PROFILES])],
  generate: (access, { queues, definitions }) => [
    findJob(access),
    ...access.objects(['GetObject'], [PROFILES]),
    access.items(['ConditionCheckItem'], [ITEMS.slots]),
    keepAnswer(access),
    access.items(['UpdateItem', 'DeleteItem'], [ANY_CALLBACK]),
    ...endAttempt(access),
    ...access.submit(queues, definitions),
    access.watch(['ListJobs']),
  ],
  sample: (access, { queues, definitions }) => [
    findJob(access),
    access.items(['PutItem'], [ANY_JOB]),
    ...eraseRecord(access),
    ...access.objects(['GetObject'], [PROFILES]),
    ...access.objects(['PutObject', 'DeleteObject'], [SAMPLE_MARKS]),
    access.items(['ConditionCheckItem'], [ITEMS.slots]),
    keepAnswer(access),
    ...endAttempt(access),
    ...access.submit(queues, definitions),
    access.watch(['ListJobs']),
  ],
  status: (access) => [findJob(access), findCallback(access)],
  events: (access) => [findJob(access), findCallback(access)],
  listJobs: (access) => [findKey(access), access.jobsOfKeys(), access.items(['BatchGetItem'], [ANY_JOB])],
  download: (access) => [findJob(access), ...access.objects(['GetObject'], [RESULTS])],
  report: (access) => [findJob(access), ...access.objects(['GetObject'], REPORTS)],
  receipt: (access) => [
    findJob(access),
    ...access.objects(['GetObject'], [MANIFESTS]),
    access.items(['GetItem', 'PutItem'], [ITEMS.signing]),
  ],
  callbackSecret: (access) => [findKey(access), access.items(['GetItem', 'PutItem'], [ANY_CALLBACK_SECRET])],
  releaseJob: (access) => [findJob(access), findCallback(access), access.items(['UpdateItem'], [ANY_JOB])],
  eraseJob: (access) => [
    findJob(access),
    ...endAttempt(access),
    ...eraseRecord(access),
    access.items(['DeleteItem'], [ANY_CALLBACK]),
    ...access.objects(['DeleteObject'], [ALL]),
    access.watch(['ListJobs']),
    access.endJobs(),
  ],
  cancelJob: (access) => [
    findJob(access),
    findCallback(access),
    ...endAttempt(access),
    access.watch(['ListJobs']),
    access.endJobs(),
  ],
  columns: (access) => [findJob(access), ...access.objects(['GetObject'], [PROFILES])],
} satisfies Partial<Record<FunctionName, Grants>>;

/** An assistant's calls are answered by the routes, in one function. */
const assist: Grants = (access, targets) => {
  const { upload, detectFamily, generate, sample, status, listJobs, columns, download, report, eraseJob, cancelJob } =
    ROUTE_GRANTS;
  const routes = [
    upload,
    detectFamily,
    generate,
    sample,
    status,
    listJobs,
    columns,
    download,
    report,
    eraseJob,
    cancelJob,
  ];
  return routes.flatMap((grants: Grants) => grants(access, targets));
};

export const FUNCTION_GRANTS: Record<FunctionName, Grants> = {
  ...ROUTE_GRANTS,
  describe: (access) => [findKey(access)],
  mcp: assist,
  pages: () => [],
  reconcile: (access) => [
    access.items(['GetItem'], [ANY_JOB]),
    ...readActive(access),
    ...endAttempt(access),
    ...callOut(access),
    access.watch(['ListJobs', 'DescribeJobs']),
    access.endJobs(),
  ],
  expire: (access) => [
    access.items(['GetItem', 'BatchGetItem'], [ANY_JOB]),
    access.inPhase('ended'),
    access.items(['DeleteItem'], [ANY_CALLBACK]),
    ...eraseRecord(access),
    ...access.objects(['DeleteObject'], [ALL]),
  ],
};

/** The files that come here are large enough to be stored in parts. */
export const uploadServiceGrants = (access: Access): PolicyStatement[] => [
  ...takeUpload(access),
  ...access.objects(['AbortMultipartUpload'], [ALL]),
];

/** A job reads its upload, writes what it made, and says how it fares and what GPU it has. */
export const jobGrants = (access: Access): PolicyStatement[] => [
  access.items(['GetItem'], [ANY_JOB]),
  ...endAttempt(access),
  access.items(['UpdateItem'], [ITEMS.gpu]),
  ...access.objects(['GetObject'], [ALL]),
  ...access.objects(['PutObject', 'DeleteObject', 'AbortMultipartUpload'], [OUTPUTS]),
];
