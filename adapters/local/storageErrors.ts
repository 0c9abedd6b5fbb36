/** Maps disk and database failures to `storage_full` or `storage_unavailable`. */
import { ServiceError } from '../../packages/contract/errors.ts';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const UNAVAILABLE = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'EIO',
  'ENOTDIR',
  'ENOENT',
  'EMFILE',
  'ENFILE',
  'ESTALE',
  'EBUSY',
]);

/** Primary codes (sqlite.org/rescode.html). */
const SQLITE = { perm: 3, busy: 5, readonly: 8, ioerr: 10, corrupt: 11, full: 13, cantopen: 14 } as const;
/** No space, on file systems that report it through I/O. */
const SQLITE_IOERR_WRITE = 778;

export function storageError(error: unknown): unknown {
  const kind = kindOf(error);
  if (kind === 'full') {
    return new ServiceError({ reason: 'disk_full' }, { cause: error });
  }
  if (kind === 'unavailable') {
    return new ServiceError({ reason: 'data_folder_unavailable' }, { cause: error });
  }
  return error;
}

export function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storageError(error);
  }
}

function kindOf(error: unknown): 'full' | 'unavailable' | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  if (FULL.has(error.code)) return 'full';
  if (UNAVAILABLE.has(error.code)) return 'unavailable';
  if (error.code === 'ERR_SQLITE_ERROR' && 'errcode' in error && typeof error.errcode === 'number') {
    return sqliteKind(error.errcode);
  }
  return undefined;
}

function sqliteKind(errcode: number): 'full' | 'unavailable' | undefined {
  const primary = errcode & 0xff;
  if (primary === SQLITE.full || errcode === SQLITE_IOERR_WRITE) return 'full';
  const unavailable: number[] = [
    SQLITE.perm,
    SQLITE.busy,
    SQLITE.readonly,
    SQLITE.ioerr,
    SQLITE.corrupt,
    SQLITE.cantopen,
  ];
  return unavailable.includes(primary) ? 'unavailable' : undefined;
}
