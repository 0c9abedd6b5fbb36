/** `@synthetic-tables/client`. */
export {
  type CallOptions,
  type Download,
  type DownloadFormat,
  type DownloadOptions,
  SyntheticTables,
  type TableFile,
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
export { type Role, type RoleFields, roleFields, suggestedRoles } from './roles.ts';
export type { Fetch, TransportOptions } from './transport.ts';
export type { Finished, WaitOptions } from './waitFor.ts';
