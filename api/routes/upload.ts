import { z } from 'zod';
import { ServiceError } from '../../domain/errors.ts';
import { findJob } from '../../domain/job/findJob.ts';
import { loadProfile } from '../../domain/job/loadProfile.ts';
import { uploadFile } from '../../domain/job/uploadFile.ts';
import type { Profile } from '../../domain/profile/profile.ts';
import { uploadReplySchema } from '../../domain/schema/replies.ts';
import { answerOnce } from '../http/answerOnce.ts';
import type { ApiContext } from '../http/context.ts';
import { digestUpload } from '../http/digestUpload.ts';
import { succeeded } from '../http/envelope.ts';
import { ignored, refuseEncoded } from '../http/readJson.ts';
import { receiveUpload } from '../http/receiveUpload.ts';
import { STORAGE_FULL } from '../http/refusals.ts';
import { type Route, refusal } from '../http/route.ts';
import { uploadReport } from '../http/uploadReport.ts';
import { uploadBodySchema } from '../openapi/uploadBody.ts';
import { uploadExample } from '../openapi/uploadExample.ts';

export const upload: Route = {
  method: 'post',
  path: '/upload',
  access: 'key',
  repeatable: true,
  summary: 'Upload a table and learn what its columns are',
  description:
    'Takes one file, .csv, .xlsx or .xls, of at most 52,428,800 bytes. Answers with a new job, the type of every column, and warnings on the data. `profile` gives the evidence and suggests a role for each column, and lists what columns say of each other.',
  request: { contentType: 'multipart/form-data', schema: uploadBodySchema, example: { file: 'table.csv' } },
  reply: {
    contentType: 'application/json',
    data: uploadReplySchema,
    description: 'The new job and its columns.',
    example: uploadExample,
  },
  refusals: [
    refusal('missing_file', 'The request is not multipart/form-data or has no part named "file".'),
    refusal('invalid_request', 'The multipart body is malformed, breaks off, or has more than one file.'),
    refusal('unsupported_file_type', 'The file is not a .csv, .xlsx or .xls table.'),
    refusal('empty_file', 'The file has no bytes.'),
    refusal('no_data_rows', 'The file has a header and no row of data.'),
    refusal('encoding_error', 'The text is not in an encoding that can be read; the message says where.'),
    refusal('parse_error', 'The rows do not form a table; the message says where.'),
    refusal('file_too_large', 'The file is larger than 50 MB.'),
    STORAGE_FULL,
  ],
  async handle(c) {
    refuseEncoded(c);
    const service = c.get('service');
    const received = await receiveUpload(c.get('body'), c.req.header('Content-Type'), service.settings.maxUploadBytes);
    const { bytes, digest } = digestUpload(received);
    let made: Profile | undefined;
    return answerOnce<KeptUpload>(c, {
      digest,
      async work() {
        const { job, profile } = await uploadFile(service, c.get('keyId'), { name: received.name, bytes });
        made = profile;
        return { job_id: job.id, warnings: ignored('part', received.ignoredParts) };
      },
      kept: keptSchema,
      async answer({ job_id, warnings }) {
        c.set('jobId', job_id);
        return c.json(succeeded(uploadReport(job_id, made ?? (await profileOf(c, job_id)), warnings)));
      },
    });
  },
};

/** The rest of the answer is made from the profile again, which goes where the job goes. */
const keptSchema = z.object({ job_id: z.string(), warnings: z.array(z.string()) });
type KeptUpload = z.infer<typeof keptSchema>;

async function profileOf(c: ApiContext, jobId: string): Promise<Profile> {
  const service = c.get('service');
  try {
    return await loadProfile(service, await findJob(service, c.get('keyId'), jobId, 400));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_job') throw error;
    const message = `This Idempotency-Key made job ${jobId}, whose upload has been erased since. Send the file with a new key for a new job.`;
    throw new ServiceError('idempotency_key_reused', message);
  }
}
