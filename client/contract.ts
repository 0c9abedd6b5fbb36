/** The contract's own types: what the service takes and answers. Types alone, so that nothing of the service is loaded. */
export type { ErrorCode, JobErrorCode } from '../domain/errors.ts';
export type { Receipt } from '../domain/receipt/receipt.ts';
export type { DetectFamilyRequest } from '../domain/schema/detectFamilyRequest.ts';
export type { GenerateRequestBody } from '../domain/schema/generateRequest.ts';
export type { JobMetrics } from '../domain/schema/metrics.ts';
export type {
  CallbackSecretReply,
  DetectFamilyReply,
  EraseReply,
  EstimateReply,
  GenerateReply,
  HealthReply,
  JobsReply,
  SampleReply,
  StatusReply,
  UploadReply,
} from '../domain/schema/replies.ts';
export type { ReportData } from '../domain/schema/report.ts';
export type { SampleRequestBody } from '../domain/schema/sampleRequest.ts';
