/** Names of environment variables, said once for the servers, the job's process and the infrastructure. */
export const ENV = {
  jobId: 'JOB_ID',
  jobAttempt: 'JOB_ATTEMPT',
  dataDir: 'DATA_DIR',
  /** The server's process id: a job's process ends itself when that one is gone. */
  parentPid: 'PARENT_PID',
  jobTimeout: 'JOB_TIMEOUT',
  maxRunningJobs: 'MAX_RUNNING_JOBS',
  host: 'HOST',
  port: 'PORT',
  corsOrigins: 'CORS_ORIGINS',
  uploadRetentionHours: 'UPLOAD_RETENTION_HOURS',
  resultRetentionHours: 'RESULT_RETENTION_HOURS',
} as const;
