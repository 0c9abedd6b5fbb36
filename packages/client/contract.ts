/** Types of the contract, without code of the service. */

export type { Role } from '../contract/columns.ts';
export type { JobMetrics } from '../contract/metrics.ts';
export type { ErrorCode, JobErrorCode } from '../contract/reasons.ts';
export type { Receipt } from '../contract/receipt.ts';
export type {
  CallbackSecretReply,
  CompareReply,
  DetectFamilyReply,
  EraseReply,
  EstimateReply,
  GenerateReply,
  HealthReply,
  JobsReply,
  SampleReply,
  StatusReply,
  UploadReply,
} from '../contract/replies.ts';
export type { Audience, ReportData, SharedReport } from '../contract/report.ts';
export type {
  CompareRequestBody,
  DetectFamilyRequest,
  GenerateRequestBody,
  SampleRequestBody,
} from '../contract/requests.ts';
export type { ConversionName, OutputFormatName } from '../tables/formats.ts';
