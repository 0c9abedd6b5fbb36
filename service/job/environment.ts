/** Names of environment variables, said once for the servers, the job's process and the infrastructure. */
export const ENV = {
  jobId: 'JOB_ID',
  jobAttempt: 'JOB_ATTEMPT',
  dataDir: 'DATA_DIR',
  /** The server's process id: a job's process ends itself when that one is gone. */
  parentPid: 'PARENT_PID',
  jobTimeout: 'JOB_TIMEOUT',
  maxRunningJobs: 'MAX_RUNNING_JOBS',
  /** Requests of one key that may be at work at a time, in one process. */
  requestsPerKey: 'REQUESTS_PER_KEY',
  /** Running jobs, kept jobs, and bytes of their uploads (in MB) of one key. */
  maxRunningJobsPerKey: 'MAX_RUNNING_JOBS_PER_KEY',
  /** Jobs that wait for a slot: of all keys, and of one. */
  maxQueuedJobs: 'MAX_QUEUED_JOBS',
  maxQueuedJobsPerKey: 'MAX_QUEUED_JOBS_PER_KEY',
  jobsPerKey: 'JOBS_PER_KEY',
  uploadMbPerKey: 'UPLOAD_MB_PER_KEY',
  /** Connections, those of one address, and the addresses that have no bound of their own. */
  maxConnections: 'MAX_CONNECTIONS',
  maxConnectionsPerAddress: 'MAX_CONNECTIONS_PER_ADDRESS',
  trustedProxies: 'TRUSTED_PROXIES',
  host: 'HOST',
  port: 'PORT',
  corsOrigins: 'CORS_ORIGINS',
  uploadRetentionHours: 'UPLOAD_RETENTION_HOURS',
  resultRetentionHours: 'RESULT_RETENTION_HOURS',
  /** How long objects are kept that no record knows, and whether to start where a data folder has lost its database. */
  orphanRetentionHours: 'ORPHAN_RETENTION_HOURS',
  startWithoutRecords: 'START_WITHOUT_RECORDS',
  /** Whether jobs are admitted by the memory that is available. */
  checkMemory: 'CHECK_MEMORY',
  /** What every table must keep to, whatever its request says: the JSON of `policy` in POST /generate, or `strict`. */
  releasePolicy: 'RELEASE_POLICY',
  /** Which addresses `callback_url` may name: `public` (by https), or `any` (by http too), as tests need it. */
  callbackAddresses: 'CALLBACK_ADDRESSES',
  /** What a receipt names as the image that made the table. */
  containerImage: 'CONTAINER_IMAGE',
  /** Which tensor engine jobs run: see packages/numerics/tensor. */
  tensorBackend: 'TENSOR_BACKEND',
  /** Where the base language model lies: a file or folder, or an S3 prefix; empty for the small one of the package; `none`. */
  textBase: 'TEXT_BASE',

  /** On AWS. Where the table is named, the service runs there. Region, end points and credentials are the SDK's own. */
  tableName: 'TABLE_NAME',
  bucketName: 'BUCKET_NAME',
  /** Batch: jobs with text columns go to the GPU queue, all others to the CPU queue. */
  gpuQueue: 'GPU_QUEUE',
  cpuQueue: 'CPU_QUEUE',
  gpuJobDefinition: 'GPU_JOB_DEFINITION',
  cpuJobDefinition: 'CPU_JOB_DEFINITION',
  /** The GPU queue's compute environment, for GET /health. */
  computeEnvironment: 'COMPUTE_ENVIRONMENT',
  /** Seconds in which a started job must be seen by Batch, and in which Batch must find it a machine. */
  submitGrace: 'SUBMIT_GRACE',
  startLimit: 'START_LIMIT',
  /** Bytes of a file where uploads come by Lambda. */
  maxUploadBytes: 'MAX_UPLOAD_BYTES',
  /** Where the reconciler's figures go. */
  metricsNamespace: 'METRICS_NAMESPACE',
  /** Set by Batch in the container: the submission, and which of its runs this is (1, 2, …). */
  batchJobId: 'AWS_BATCH_JOB_ID',
  batchJobAttempt: 'AWS_BATCH_JOB_ATTEMPT',
} as const;

/** In place of a base of texts: the model of text starts from scratch. */
export const NO_TEXT_BASE = 'none';
