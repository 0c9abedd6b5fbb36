export const ENV = {
  jobId: 'JOB_ID',
  jobAttempt: 'JOB_ATTEMPT',
  dataDir: 'DATA_DIR',
  /** A job exits when this process is gone. */
  parentPid: 'PARENT_PID',
  jobTimeout: 'JOB_TIMEOUT',
  maxRunningJobs: 'MAX_RUNNING_JOBS',
  /** Per process. */
  requestsPerKey: 'REQUESTS_PER_KEY',
  maxRunningJobsPerKey: 'MAX_RUNNING_JOBS_PER_KEY',
  maxQueuedJobs: 'MAX_QUEUED_JOBS',
  maxQueuedJobsPerKey: 'MAX_QUEUED_JOBS_PER_KEY',
  jobsPerKey: 'JOBS_PER_KEY',
  uploadMbPerKey: 'UPLOAD_MB_PER_KEY',
  maxConnections: 'MAX_CONNECTIONS',
  maxConnectionsPerAddress: 'MAX_CONNECTIONS_PER_ADDRESS',
  trustedProxies: 'TRUSTED_PROXIES',
  host: 'HOST',
  port: 'PORT',
  corsOrigins: 'CORS_ORIGINS',
  uploadRetentionHours: 'UPLOAD_RETENTION_HOURS',
  resultRetentionHours: 'RESULT_RETENTION_HOURS',
  /** Retention of objects without a record. */
  orphanRetentionHours: 'ORPHAN_RETENTION_HOURS',
  startWithoutRecords: 'START_WITHOUT_RECORDS',
  checkMemory: 'CHECK_MEMORY',
  /** JSON as `policy` of POST /generate, or `strict`. */
  releasePolicy: 'RELEASE_POLICY',
  /** `public`, or `any` for tests. */
  callbackAddresses: 'CALLBACK_ADDRESSES',
  containerImage: 'CONTAINER_IMAGE',
  /** See packages/numerics/tensor. */
  tensorBackend: 'TENSOR_BACKEND',
  /** A file, folder, S3 prefix or `none`; empty for the package's small model. */
  textBase: 'TEXT_BASE',

  /** Selects AWS. The SDK reads region, end points and credentials itself. */
  tableName: 'TABLE_NAME',
  bucketName: 'BUCKET_NAME',
  gpuQueue: 'GPU_QUEUE',
  cpuQueue: 'CPU_QUEUE',
  gpuJobDefinition: 'GPU_JOB_DEFINITION',
  cpuJobDefinition: 'CPU_JOB_DEFINITION',
  computeEnvironment: 'COMPUTE_ENVIRONMENT',
  /** Seconds until Batch must know a started job, and until the job must have a machine. */
  submitGrace: 'SUBMIT_GRACE',
  startLimit: 'START_LIMIT',
  maxUploadBytes: 'MAX_UPLOAD_BYTES',
  metricsNamespace: 'METRICS_NAMESPACE',
  /** Set by Batch: submission and number of its run. */
  batchJobId: 'AWS_BATCH_JOB_ID',
  batchJobAttempt: 'AWS_BATCH_JOB_ATTEMPT',
} as const;

/** The text model starts from scratch. */
export const NO_TEXT_BASE = 'none';
