import { z } from 'zod';
import { manifestKey } from '../../domain/job/objectKeys.ts';
import { receiptKeySchema, receiptSchema } from '../../domain/receipt/receipt.ts';
import { describeKey, signReceipt } from '../../domain/receipt/signReceipt.ts';
import { succeeded } from '../http/envelope.ts';
import { finishedObject } from '../http/finishedObject.ts';
import { jobInPath } from '../http/jobInPath.ts';
import { NO_RESULT, UNKNOWN_IN_PATH } from '../http/refusals.ts';
import type { Route } from '../http/route.ts';
import { receiptExample } from '../openapi/receiptExample.ts';

const manifestSchema = z.record(z.string(), z.json());

/** As documented: the schema of any JSON value refers to itself, which tools look for in the wrong place. */
const documentedSchema = receiptSchema.extend({
  manifest: z.record(z.string(), z.unknown()).meta({ description: receiptSchema.shape.manifest.description }),
});

const { value: _, ...keyExample } = receiptExample.signature;

export const receipt: Route = {
  method: 'get',
  path: '/receipt/:job_id',
  access: 'key',
  summary: 'What the table was made from and how, signed',
  description:
    'Hashes of the upload and of the result, the whole request with its seed, the software, and the metrics, with an Ed25519 signature over their canonical JSON (RFC 8785). `npm run verify -- receipt.json synthetic_data.csv` checks it without the service. The same file and `request` on the same software give the same bytes on the CPU.',
  reply: {
    contentType: 'application/json',
    data: documentedSchema,
    description: 'The receipt.',
    example: receiptExample,
  },
  refusals: [UNKNOWN_IN_PATH, NO_RESULT],
  async handle(c) {
    const job = await jobInPath(c);
    const text = await finishedObject(c, job, manifestKey(job.id, job.attempt));
    return c.json(succeeded(await signReceipt(manifestSchema.parse(JSON.parse(text)), c.get('service').signer)));
  },
};

export const receiptKey: Route = {
  method: 'get',
  path: '/receipt-key',
  access: 'key',
  summary: 'The key that receipts are signed with',
  description: 'The public one. A receipt is this service’s own where it was signed with this key.',
  reply: {
    contentType: 'application/json',
    data: receiptKeySchema,
    description: 'The public key.',
    example: keyExample,
  },
  refusals: [],
  async handle(c) {
    return c.json(succeeded(await describeKey(await c.get('service').signer.publicKey())));
  },
};
