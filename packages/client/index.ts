/**
 * `synthetic-tables/client`: calls of the service, for Node and browsers.
 * @packageDocumentation
 */

export { type RoleFields, roleFields, suggestedRoles } from '../contract/roles.ts';
export type { Finished, WaitOptions } from './client.ts';
export {
  type AudienceOptions,
  type CallOptions,
  type Download,
  type DownloadFormat,
  type DownloadOptions,
  SyntheticTables,
  type TableFile,
  type UploadOptions,
} from './client.ts';
export type * from './contract.ts';
export {
  ConnectionError,
  JobFailedError,
  NotStartedError,
  RefusedError,
  SyntheticTablesError,
  UnexpectedReplyError,
} from './errors.ts';
export type { Fetch, TransportOptions } from './transport.ts';
