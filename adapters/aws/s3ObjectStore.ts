/** Streams go up in parts, two in memory, and appear when complete. */
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NotFound,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { readObject } from '../../service/job/objectKeys.ts';
import type { ObjectStore } from '../../service/ports.ts';
import { createClients } from './awsClients.ts';
import { awsError, guarded } from './awsErrors.ts';

const PART_BYTES = 8_388_608;
const PARTS_AT_ONCE = 2;
/** S3's limit per deletion. */
const MAX_KEYS = 1000;
const LINK_SECONDS = 300;

export class S3ObjectStore implements ObjectStore {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
  }

  async put(key: string, body: AsyncIterable<Uint8Array> | Uint8Array): Promise<{ bytes: number }> {
    if (!(body instanceof Uint8Array)) return this.#stream(key, body);
    await guarded('files', () => this.#client.send(new PutObjectCommand({ ...this.#at(key), Body: body })));
    return { bytes: body.byteLength };
  }

  /** Requests the object only when the body is read, so that an unread body holds no connection. */
  async get(key: string): Promise<{ bytes: number; body: AsyncIterable<Uint8Array> } | undefined> {
    try {
      const found = await guarded('files', () => this.#client.send(new HeadObjectCommand(this.#at(key))));
      return { bytes: found.ContentLength ?? 0, body: this.#read(key, found.ETag) };
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  async list(prefix: string): Promise<string[]> {
    return [...(await this.times(prefix)).keys()];
  }

  async times(prefix: string): Promise<Map<string, number>> {
    const pages = paginateListObjectsV2({ client: this.#client }, { Bucket: this.#bucket, Prefix: prefix });
    return guarded('files', async () => {
      const times = new Map<string, number>();
      for await (const { Contents } of pages) {
        for (const { Key, LastModified } of Contents ?? []) if (Key) times.set(Key, LastModified?.getTime() ?? 0);
      }
      return times;
    });
  }

  async erase(keyOrPrefix: string): Promise<void> {
    if (!keyOrPrefix.endsWith('/')) {
      await guarded('files', () => this.#client.send(new DeleteObjectCommand(this.#at(keyOrPrefix))));
      return;
    }
    const keys = await this.list(keyOrPrefix);
    for (let from = 0; from < keys.length; from += MAX_KEYS) await this.#eraseAll(keys.slice(from, from + MAX_KEYS));
  }

  async link(key: string, download: { fileName: string; contentType: string }): Promise<string> {
    const command = new GetObjectCommand({
      ...this.#at(key),
      ResponseContentDisposition: `attachment; filename="${download.fileName}"`,
      ResponseContentType: download.contentType,
    });
    return guarded('files', () => getSignedUrl(this.#client, command, { expiresIn: LINK_SECONDS }));
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: key };
  }

  /** If the body throws, discards the parts and rethrows. */
  async #stream(key: string, body: AsyncIterable<Uint8Array>): Promise<{ bytes: number }> {
    const source = new CountedSource(body);
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#at(key), Body: Readable.from(source, { objectMode: false }) },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
      leavePartsOnError: false,
    });
    try {
      await guarded('files', () => upload.done());
    } catch (error) {
      throw source.failed ? source.failure : error;
    }
    return { bytes: source.bytes };
  }

  /** Yields the object that was found or throws, never a mix of two versions. */
  async *#read(key: string, etag: string | undefined): AsyncGenerator<Uint8Array> {
    const asked = { ...this.#at(key), ...(etag !== undefined && { IfMatch: etag }) };
    const { Body } = await guarded('files', () => this.#client.send(new GetObjectCommand(asked)));
    if (!(Body instanceof Readable)) throw new TypeError('the SDK gave a body that is no stream');
    try {
      for await (const chunk of Body) if (chunk instanceof Uint8Array) yield chunk;
    } catch (error) {
      throw awsError(error, 'files');
    } finally {
      Body.destroy();
    }
  }

  async #eraseAll(keys: readonly string[]): Promise<void> {
    const input = { Bucket: this.#bucket, Delete: { Quiet: true, Objects: keys.map((Key) => ({ Key })) } };
    const { Errors = [] } = await guarded('files', () => this.#client.send(new DeleteObjectsCommand(input)));
    if (Errors.length > 0) throw new Error(`${Errors.length} objects were not erased: ${Errors[0]?.Code}`);
  }
}

class CountedSource implements AsyncIterable<Uint8Array> {
  bytes = 0;
  failed = false;
  failure: unknown;
  readonly #body: AsyncIterable<Uint8Array>;

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#body = body;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.#body) {
        this.bytes += chunk.byteLength;
        yield chunk;
      }
    } catch (error) {
      this.failed = true;
      this.failure = error;
      throw error;
    }
  }
}

const ADDRESS = /^s3:\/\/([^/]+)\/?(.*)$/;

/** Undefined if there are none. */
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
