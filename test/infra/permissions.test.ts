import { describe, expect, it } from 'vitest';
import { FUNCTIONS } from '../../infra/lambdas.ts';
import { allowed, list, statementsOf } from './support/policies.ts';
import { at, flat, OTHERWISE, ofType, synthesise } from './support/synthesise.ts';

const LOG = ['logs:CreateLogStream own log', 'logs:PutLogEvents own log'];
const LIST = 's3:ListBucket bucket where StringLikeIfExists s3:prefix jobs/*';
const END_ATTEMPT = ['dynamodb:UpdateItem JOB#*', 'dynamodb:ConditionCheckItem JOB#*', 'dynamodb:UpdateItem SLOTS'];
const LEDGER = ['dynamodb:GetItem LEDGER#*', 'dynamodb:UpdateItem LEDGER#*'];
const ERASE_RECORD = ['dynamodb:DeleteItem JOB#*', 'dynamodb:UpdateItem TOTAL'];
const SEE_QUEUE = ['dynamodb:GetItem QUEUE', 'dynamodb:GetItem SLOTS', 'dynamodb:BatchGetItem JOB#*'];
const FIND_JOB = ['dynamodb:GetItem JOB#* KEY#*'];
const FIND_CALLBACK = 'dynamodb:GetItem CALLBACK#*';
const CALLBACK_SECRET = ['dynamodb:GetItem CALLBACK_SECRET#*', 'dynamodb:PutItem CALLBACK_SECRET#*'];
const MAKE_JOB = [
  'dynamodb:Query table/index/byOwner',
  'dynamodb:BatchGetItem JOB#*',
  ...FIND_JOB,
  'dynamodb:PutItem JOB#*',
  'dynamodb:UpdateItem ANSWER#*',
  ...ERASE_RECORD,
];
const UPLOAD = [
  ...MAKE_JOB,
  's3:GetObject bucket/jobs/*',
  's3:PutObject bucket/jobs/*',
  's3:DeleteObject bucket/jobs/*',
  LIST,
];

const COLUMNS = ['s3:GetObject bucket/jobs/*/columns.json'];
const DETECT = [...FIND_JOB, 's3:GetObject bucket/jobs/*/profile.json', LIST];
const START = [
  ...SEE_QUEUE,
  'dynamodb:UpdateItem QUEUE',
  'dynamodb:ConditionCheckItem SLOTS',
  ...END_ATTEMPT,
  'batch:SubmitJob batch job-queue/synthetic-tables-dev-gpu',
  'batch:SubmitJob batch job-queue/synthetic-tables-dev-cpu',
  'batch:SubmitJob batch job-definition/synthetic-tables-dev-gpu:*',
  'batch:SubmitJob batch job-definition/synthetic-tables-dev-cpu:*',
  'batch:TagResource batch job/*',
  'batch:ListJobs *',
];
const GENERATE = [
  ...FIND_JOB,
  's3:GetObject bucket/jobs/*/profile.json',
  LIST,
  'dynamodb:UpdateItem ANSWER#*',
  'dynamodb:UpdateItem CALLBACK#*',
  'dynamodb:DeleteItem CALLBACK#*',
  's3:GetObject bucket/privacy/*',
  's3:PutObject bucket/privacy/*',
  's3:ListBucket bucket where StringLikeIfExists s3:prefix privacy/*',
  ...LEDGER,
  ...START,
];
const COMPARE = GENERATE.filter((line) => !/CALLBACK|privacy|LEDGER/.test(line));
const SAMPLE = [
  ...COMPARE,
  'dynamodb:PutItem JOB#*',
  ...ERASE_RECORD,
  's3:PutObject bucket/jobs/*/samples/*',
  's3:DeleteObject bucket/jobs/*/samples/*',
];
const REPEAT = [
  ...MAKE_JOB,
  ...['upload', 'profile.json', 'columns.json'].flatMap((name) => [
    `s3:GetObject bucket/jobs/*/${name}`,
    `s3:PutObject bucket/jobs/*/${name}`,
  ]),
  's3:AbortMultipartUpload bucket/jobs/*/upload',
  's3:PutObject bucket/jobs/*/uploading',
  's3:DeleteObject bucket/jobs/*',
  LIST,
];
const LIST_JOBS = ['dynamodb:GetItem KEY#*', 'dynamodb:Query table/index/byOwner', 'dynamodb:BatchGetItem JOB#*'];
const DOWNLOAD = [...FIND_JOB, 's3:GetObject bucket/jobs/*/synthetic_data.csv', LIST];
const REPORT = [
  ...FIND_JOB,
  's3:GetObject bucket/jobs/*/report*.html',
  's3:GetObject bucket/jobs/*/report*.json',
  LIST,
  'dynamodb:GetItem SIGNING_PUBLIC',
];
const ERASE = [
  ...FIND_JOB,
  ...END_ATTEMPT,
  ...LEDGER,
  'dynamodb:UpdateItem QUEUE',
  ...ERASE_RECORD,
  'dynamodb:DeleteItem CALLBACK#*',
  's3:PutObject bucket/jobs/*/erasing',
  's3:DeleteObject bucket/jobs/*',
  LIST,
  'batch:ListJobs *',
  'batch:TerminateJob batch job/*',
];

/** Everything that each role may do. A line that is not here is not allowed; one that is here is. */
const TABLE: Record<string, string[]> = {
  FunctionshealthRole: [
    ...LOG,
    'dynamodb:GetItem KEY#*',
    'dynamodb:GetItem SLOTS',
    'dynamodb:BatchGetItem JOB#*',
    'dynamodb:GetItem TOTAL GPU',
    'batch:DescribeComputeEnvironments *',
  ],
  FunctionsuploadRole: [...LOG, ...UPLOAD],
  FunctionsdetectFamilyRole: [...LOG, ...DETECT],
  FunctionsestimateRole: [...LOG, ...DETECT],
  FunctionsgenerateRole: [...LOG, ...GENERATE],
  FunctionssampleRole: [...LOG, ...SAMPLE],
  FunctionscompareRole: [...LOG, ...COMPARE],
  FunctionsstatusRole: [...LOG, ...FIND_JOB, FIND_CALLBACK, ...SEE_QUEUE],
  FunctionseventsRole: [...LOG, ...FIND_JOB, FIND_CALLBACK, ...SEE_QUEUE],
  FunctionsdownloadRole: [...LOG, ...DOWNLOAD],
  FunctionsreportRole: [...LOG, ...REPORT],
  FunctionsreceiptRole: [
    ...LOG,
    ...FIND_JOB,
    's3:GetObject bucket/jobs/*/manifest.json',
    LIST,
    'dynamodb:GetItem SIGNING',
    'dynamodb:PutItem SIGNING',
    'dynamodb:PutItem SIGNING_PUBLIC',
  ],
  FunctionscallbackSecretRole: [...LOG, 'dynamodb:GetItem KEY#*', ...CALLBACK_SECRET],
  FunctionsreleaseJobRole: [...LOG, ...FIND_JOB, FIND_CALLBACK, 'dynamodb:UpdateItem JOB#*'],
  FunctionsrepeatJobRole: [...LOG, ...REPEAT],
  FunctionseraseJobRole: [...LOG, ...ERASE],
  FunctionscancelJobRole: [
    ...LOG,
    ...FIND_JOB,
    FIND_CALLBACK,
    ...END_ATTEMPT,
    ...LEDGER,
    'dynamodb:UpdateItem QUEUE',
    'batch:ListJobs *',
    'batch:TerminateJob batch job/*',
  ],
  FunctionslistJobsRole: [...LOG, ...LIST_JOBS],
  FunctionscolumnsRole: [...LOG, ...FIND_JOB, ...COLUMNS, LIST],
  FunctionsmcpRole: [
    ...LOG,
    ...UPLOAD,
    ...COLUMNS,
    ...DETECT,
    ...GENERATE,
    ...SAMPLE,
    ...LIST_JOBS.filter((line) => line !== 'dynamodb:GetItem KEY#*'),
    ...DOWNLOAD,
    ...REPORT,
    ...ERASE,
    FIND_CALLBACK,
  ],
  FunctionsdescribeRole: [...LOG, 'dynamodb:GetItem KEY#*'],
  FunctionspagesRole: LOG,
  FunctionsreconcileRole: [
    ...LOG,
    'dynamodb:GetItem JOB#*',
    ...START,
    ...LEDGER,
    'dynamodb:Query table/index/byPhase callback',
    ...['GetItem', 'BatchGetItem', 'UpdateItem', 'DeleteItem'].map((action) => `dynamodb:${action} CALLBACK#*`),
    ...CALLBACK_SECRET,
    'batch:DescribeJobs *',
    'batch:TerminateJob batch job/*',
  ],
  FunctionsexpireRole: [
    ...LOG,
    'dynamodb:GetItem JOB#*',
    'dynamodb:GetItem CLOCK',
    'dynamodb:UpdateItem CLOCK',
    'dynamodb:BatchGetItem JOB#*',
    'dynamodb:Query table/index/byPhase ended',
    'dynamodb:DeleteItem CALLBACK#*',
    'dynamodb:UpdateItem QUEUE',
    ...ERASE_RECORD,
    ...END_ATTEMPT,
    ...LEDGER,
    'batch:ListJobs *',
    'batch:TerminateJob batch job/*',
    's3:PutObject bucket/jobs/*/erasing',
    's3:DeleteObject bucket/jobs/*',
    LIST,
  ],
  ComputeJobRole: [
    'dynamodb:GetItem JOB#*',
    ...END_ATTEMPT,
    'dynamodb:UpdateItem GPU',
    's3:GetObject bucket/jobs/*/upload',
    's3:GetObject bucket/jobs/*/profile.json',
    's3:GetObject bucket/jobs/*/attempt-*/model.json',
    's3:GetObject bucket/jobs/*/attempt-*/text-checkpoint',
    's3:PutObject bucket/jobs/*/attempt-*/*',
    's3:DeleteObject bucket/jobs/*/attempt-*/*',
    's3:AbortMultipartUpload bucket/jobs/*/attempt-*/*',
    LIST,
  ],
  UploadServiceTaskTaskRole: [...UPLOAD, 's3:AbortMultipartUpload bucket/jobs/*'],
  ComputeJobExecutionRole: [
    ...LOG,
    'ecr:GetAuthorizationToken *',
    ...['BatchCheckLayerAvailability', 'BatchGetImage', 'GetDownloadUrlForLayer'].map(
      (action) => `ecr:${action} arn:aws:ecr:eu-west-1:123456789012:repository/jobs`,
    ),
  ],
  UploadServiceTaskExecutionRole: LOG,
  /** Two roles with one of AWS's own policies, which cdk-nag's acknowledgements name. */
  ComputeGpuMachineRole: [],
  ApiRestCloudWatchRole: [],
};

/** Actions that IAM can allow on no resource in particular. */
const WITHOUT_RESOURCE = [
  'batch:DescribeComputeEnvironments',
  'batch:DescribeJobs',
  'batch:ListJobs',
  'ecr:GetAuthorizationToken',
];

const { template } = synthesise();
const roles = allowed(template);

describe('permissions', () => {
  it.each(Object.entries(TABLE))('%s may do this and nothing else', (role, lines) => {
    expect(roles.get(role)).toEqual([...new Set(lines)].sort());
  });

  it('has a line in the table for every role', () => {
    expect([...roles.keys()].sort()).toEqual(Object.keys(TABLE).sort());
    expect(FUNCTIONS.map((name) => `Functions${name}Role`).filter((role) => !(role in TABLE))).toEqual([]);
  });

  it('allows every resource only to actions that know none', () => {
    const lines = [...roles.values(), ...allowed(synthesise(OTHERWISE).template).values()].flat();
    const onAll = lines.filter((line) => line.endsWith(' *')).map((line) => line.split(' ')[0] ?? '');
    expect([...new Set(onAll)].sort()).toEqual(WITHOUT_RESOURCE);
  });

  it('names every action in full', () => {
    expect([...roles.values()].flat().filter((line) => line.split(' ')[0]?.includes('*'))).toEqual([]);
  });

  it('names the items of every access to a record', () => {
    const records = [...roles.values()].flat().filter((line) => line.startsWith('dynamodb:'));
    expect(
      records.filter(
        (line) =>
          !/ (JOB#\*|KEY#\*|ANSWER#\*|CALLBACK#\*|CALLBACK_SECRET#\*|LEDGER#\*|SLOTS|QUEUE|TOTAL|GPU|SIGNING|SIGNING_PUBLIC|CLOCK|ended|callback|table\/index\/byOwner)$/.test(
            line,
          ),
      ),
    ).toEqual([]);
  });

  it('lets the function that signs read the signing key, and nobody else', () => {
    const readers = [...roles].filter(([, lines]) => lines.some((line) => line.endsWith(' SIGNING')));
    expect(readers.map(([role]) => role)).toEqual(['FunctionsreceiptRole']);
  });

  it('lets the function that gives out secrets of calls read them, and the one that makes the calls, and nobody else', () => {
    const readers = [...roles].filter(([, lines]) => lines.some((line) => line.includes('CALLBACK_SECRET')));
    expect(readers.map(([role]) => role).sort()).toEqual(['FunctionscallbackSecretRole', 'FunctionsreconcileRole']);
  });

  it('lets each role be taken by one service of AWS', () => {
    const trusted = ofType(template, 'AWS::IAM::Role').map(([, { Properties }]) => {
      const [statement, ...more] = statementsOf(Properties.AssumeRolePolicyDocument);
      expect(more).toEqual([]);
      expect(at(statement, 'Action')).toBe('sts:AssumeRole');
      return at(statement, 'Principal', 'Service');
    });
    const services = ['apigateway', 'ec2', 'ecs-tasks', 'lambda'].map((name) => `${name}.amazonaws.com`);
    expect([...new Set(trusted)].sort()).toEqual(services);
  });

  it('lets API Gateway and the rules that are here invoke the functions, and nobody else', () => {
    for (const [, { Properties }] of ofType(template, 'AWS::Lambda::Permission')) {
      expect(Properties.Action).toBe('lambda:InvokeFunction');
      const source = flat(Properties.SourceArn);
      if (Properties.Principal === 'events.amazonaws.com') expect(source).toMatch(/^<\w+\.Arn>$/);
      else expect([Properties.Principal, /:<ApiRest\w+>\//.test(source)]).toEqual(['apigateway.amazonaws.com', true]);
    }
  });

  it('opens no bucket and no topic to a stranger', () => {
    const documents = ['AWS::S3::BucketPolicy', 'AWS::SNS::TopicPolicy'].flatMap((type) =>
      ofType(template, type).map(([, { Properties }]) => Properties.PolicyDocument),
    );
    const open = documents
      .flatMap(statementsOf)
      .filter((statement) => at(statement, 'Effect') === 'Allow' && list(at(statement, 'Principal', 'AWS')).length > 0);
    expect(open).toEqual([]);
  });
});
