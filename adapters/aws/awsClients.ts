/**
 * The SDK's clients: time limits on every call, bounded retries with jitter. Region, end points and credentials are the SDK's own.
 */
import { BatchClient } from '@aws-sdk/client-batch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';

type Environment = Readonly<Record<string, string | undefined>>;

export interface AwsClients {
  records: DynamoDBClient;
  files: S3Client;
  compute: BatchClient;
  /** For SubmitJob, which is not idempotent: it is sent once, and what is done where no answer comes is decided above. */
  submission: BatchClient;
}

/** The SDK's `standard` mode waits between tries for a random time below an exponential bound, and shares a retry budget. */
const RETRIES = { retryMode: 'standard', maxAttempts: 4 };

/** Milliseconds: to connect, to the answer's head, and without a byte on the connection. */
const limits = (connectionTimeout: number, requestTimeout: number, socketTimeout: number) => ({
  requestHandler: { connectionTimeout, requestTimeout, socketTimeout, throwOnRequestTimeout: true },
});

/** Time limits leave room for all tries within API Gateway's 29 seconds, except for files, which take as long as they are. */
export function createClients(environment: Environment = process.env): AwsClients {
  return {
    records: new DynamoDBClient({ ...RETRIES, ...limits(4000, 5000, 5000) }),
    files: new S3Client({ ...RETRIES, ...limits(3000, 60_000, 120_000), ...forLocalEndpoint(environment) }),
    compute: new BatchClient({ ...RETRIES, maxAttempts: 3, ...limits(3000, 8000, 8000) }),
    submission: new BatchClient({ maxAttempts: 1, ...limits(3000, 8000, 8000) }),
  };
}

export function closeClients(clients: AwsClients): void {
  for (const client of Object.values(clients)) client.destroy();
}

/** An emulator has no host name for each bucket, and no trailing checksums. */
function forLocalEndpoint(environment: Environment) {
  const endpoint = environment.AWS_ENDPOINT_URL_S3 ?? environment.AWS_ENDPOINT_URL;
  if (!endpoint || isAmazon(endpoint)) return {};
  return {
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const;
}

const isAmazon = (endpoint: string): boolean =>
  URL.canParse(endpoint) && /\.amazonaws\.com(\.cn)?$/.test(new URL(endpoint).hostname);
