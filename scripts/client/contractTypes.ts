/** client/contract.ts for those who have not got the service's sources: its types, written out from the schemas. */
import { z } from 'zod';
import { HTTP_STATUS, JOB_ERROR_CODES } from '../../domain/errors.ts';
import { receiptSchema } from '../../domain/receipt/receipt.ts';
import { detectFamilyRequestSchema } from '../../domain/schema/detectFamilyRequest.ts';
import { startRequestSchema } from '../../domain/schema/generateRequest.ts';
import { jobMetricsSchema } from '../../domain/schema/metrics.ts';
import {
  callbackSecretReplySchema,
  detectFamilyReplySchema,
  eraseReplySchema,
  estimateReplySchema,
  generateReplySchema,
  healthReplySchema,
  jobsReplySchema,
  sampleReplySchema,
  statusReplySchema,
  uploadReplySchema,
} from '../../domain/schema/replies.ts';
import { reportSchema } from '../../domain/schema/report.ts';
import { sampleRequestSchema } from '../../domain/schema/sampleRequest.ts';
import { type JsonSchema, typeOf } from './typeOf.ts';

const REQUESTS = {
  DetectFamilyRequest: detectFamilyRequestSchema,
  GenerateRequestBody: startRequestSchema,
  SampleRequestBody: sampleRequestSchema,
};

const REPLIES = {
  JobMetrics: jobMetricsSchema,
  CallbackSecretReply: callbackSecretReplySchema,
  DetectFamilyReply: detectFamilyReplySchema,
  EraseReply: eraseReplySchema,
  EstimateReply: estimateReplySchema,
  GenerateReply: generateReplySchema,
  HealthReply: healthReplySchema,
  JobsReply: jobsReplySchema,
  Receipt: receiptSchema,
  ReportData: reportSchema,
  SampleReply: sampleReplySchema,
  StatusReply: statusReplySchema,
  UploadReply: uploadReplySchema,
};

export function contractTypes(): string {
  const types: [name: string, type: string][] = [
    ['ErrorCode', typeOf({ enum: Object.keys(HTTP_STATUS) })],
    ['JobErrorCode', typeOf({ enum: JOB_ERROR_CODES })],
    ...Object.entries(REQUESTS).map(([name, schema]): [string, string] => [name, typeOf(jsonSchema(schema, 'input'))]),
    ...Object.entries(REPLIES).map(([name, schema]): [string, string] => [name, typeOf(jsonSchema(schema, 'output'))]),
  ];
  const lines = types.map(([name, type]) => `export type ${name} = ${type};\n`);
  return ['/** What the service takes and answers. */', ...lines].join('\n');
}

/** zod's own type of a JSON schema has more kinds than `typeOf` knows; that throws at what it does not know. */
const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;
