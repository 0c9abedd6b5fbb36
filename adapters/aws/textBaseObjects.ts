/** The files of a base language model under a prefix of a bucket. */
import { readObject } from '../../domain/job/readObject.ts';
import type { ObjectStore } from '../../domain/ports.ts';
import { createClients } from './clients.ts';
import { S3ObjectStore } from './s3ObjectStore.ts';

const ADDRESS = /^s3:\/\/([^/]+)\/?(.*)$/;

/** Files by name, those alone that `isWanted`, of `s3://bucket/prefix`. Undefined where nothing lies there. */
export async function readTextBaseObjects(
  address: string,
  isWanted: (name: string) => boolean,
  open: (bucket: string) => ObjectStore = (bucket) => new S3ObjectStore(createClients().files, bucket),
): Promise<Map<string, Uint8Array> | undefined> {
  const [, bucket, prefix] = ADDRESS.exec(address) ?? [];
  if (bucket === undefined || prefix === undefined) throw new RangeError(`${address} is no address in S3`);
  const objects = open(bucket);
  const files = new Map<string, Uint8Array>();
  for (const key of await objects.list(prefix)) {
    const name = key.slice(key.lastIndexOf('/') + 1);
    const bytes = isWanted(name) ? await readObject(objects, key) : undefined;
    if (bytes) files.set(name, bytes);
  }
  return files.size > 0 ? files : undefined;
}
