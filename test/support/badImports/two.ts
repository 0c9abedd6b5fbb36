/** For test/architecture.test.ts: the other half of the circle, and an import of the SDK. */
import type { S3Client } from '@aws-sdk/client-s3';
import type { One } from './one.ts';

export interface Two {
  one: One;
  client: S3Client;
}
