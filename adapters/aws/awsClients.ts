import { BatchClient } from '@aws-sdk/client-batch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';

type Environment = Readonly<Record<string, string | undefined>>;

export interface AwsClients {
  records: DynamoDBClient;
  files: S3Client;
  compute: BatchClient;
  /** SubmitJob is not idempotent, so it is sent once. */
  submission: BatchClient;
}

const RETRIES = { retryMode: 'standard', maxAttempts: 4 };

/** Milliseconds: connection, head of the answer, silence. */
const limits = (connectionTimeout: number, requestTimeout: number, socketTimeout: number) => ({
  requestHandler: { connectionTimeout, requestTimeout, socketTimeout, throwOnRequestTimeout: true },
});

/** All tries fit into API Gateway's 29 seconds, except for files. */
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

/** Emulators have no host name per bucket and no trailing checksums. */
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
