import { z } from 'zod';
import { receiptKeySchema, receiptSchema } from '../../packages/contract/receipt.ts';
import { manifestKey } from '../../service/job/objectKeys.ts';
import { describeKey, receiptOf } from '../../service/receipt.ts';
import { finishedObject, jobInPath } from '../http/jobs.ts';
import { succeeded } from '../http/refused.ts';
import { NO_RESULT, type Route, refusal, UNKNOWN_IN_PATH } from '../http/route.ts';
import { receiptExample } from '../openapi/examples.ts';

/** For the description only: tools cannot resolve the self-reference of any JSON value. */
const documentedSchema = receiptSchema.extend({
  manifest: z.record(z.string(), z.unknown()).meta({ description: receiptSchema.shape.manifest.description }),
});

const { value: _, ...keyExample } = receiptExample.signature;

export const receipt: Route = {
  method: 'get',
  path: '/receipt/:job_id',
  access: 'key',
  needs: ['find job', 'read manifest', 'sign'],
  summary: 'Signed receipt: what the table was made from, and how',
  description:
    'A salted hash of the upload, the hash of the result, the whole request with its seed, the software, and the metrics, with an Ed25519 signature over their canonical JSON (RFC 8785). `synthetic-tables verify receipt.json synthetic_data.csv` checks it without the service. The same file and `request` give the same bytes with the same software on a CPU.',
  reply: {
    contentType: 'application/json',
    data: documentedSchema,
    description: 'The receipt.',
    example: receiptExample,
  },
  refusals: [
    UNKNOWN_IN_PATH,
    NO_RESULT,
    refusal('result_altered', 'The stored manifest is not the one that the job wrote.'),
  ],
  async handle(c) {
    const job = await jobInPath(c);
    const manifest = await finishedObject(c, job, manifestKey(job.id, job.attempt));
    return c.json(succeeded(await receiptOf(job, manifest, c.get('service').signer)));
  },
};

export const receiptKey: Route = {
  method: 'get',
  path: '/receipt-key',
  access: 'public',
  needs: ['sign'],
  summary: 'The public key of receipts',
  description:
    'A receipt comes from this service if it is signed with this key. No key is needed, so that anybody can check a receipt.',
  reply: {
    contentType: 'application/json',
    data: receiptKeySchema,
    description: 'The public key.',
    example: keyExample,
  },
  refusals: [],
  async handle(c) {
    return c.json(succeeded(describeKey(await c.get('service').signer.publicKey())));
  },
};
