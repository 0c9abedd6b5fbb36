import { ServiceError } from '../../packages/contract/errors.ts';
import { type DetectFamilyReply, detectFamilyReplySchema } from '../../packages/contract/replies.ts';
import { detectFamilyRequestSchema } from '../../packages/contract/requests.ts';
import { detectTargetFamily } from '../../service/job/uploadFile.ts';
import { goneSignal } from '../http/atWork.ts';
import { type JsonObject, parseFields, readJson, unknownFields } from '../http/input.ts';
import { jobInBody } from '../http/jobs.ts';
import { succeeded } from '../http/refused.ts';
import { BAD_BODY, BAD_FIELD, BODY_TOO_LARGE, NO_COLUMN, type Route, refusal, UNKNOWN_IN_BODY } from '../http/route.ts';

export const detectFamily: Route = {
  method: 'post',
  path: '/detect_family',
  access: 'key',
  needs: ['find job', 'read profile'],
  summary: 'Which family would "auto" choose for this target?',
  description:
    'Compares families on the row sample in the profile of the upload, so it takes less than a second whatever the size of the file. A job with family auto makes the same choice.',
  request: {
    contentType: 'application/json',
    schema: detectFamilyRequestSchema,
    example: { job_id: '0f8c1a…', target_col: 'body_mass_g' },
  },
  reply: {
    contentType: 'application/json',
    data: detectFamilyReplySchema,
    description: 'The family, the reason, and the families that it was compared with.',
    example: {
      family: 'gaussian',
      reason:
        'The values are numbers above 0 (mean 4200, skewness 0.47). On 342 rows given "species" and "flipper_length_mm", gaussian predicts held-out values better than student t: its log score is higher by 0.3 with a standard error of 0.1.',
      candidates: [
        { family: 'gaussian', log_score: -2410.2 },
        { family: 'student_t', log_score: -2410.5 },
      ],
      runner_up: { family: 'student_t', difference: 0.3, standard_error: 0.1 },
      rows: 342,
      predictors: ['species', 'flipper_length_mm'],
    },
  },
  refusals: [
    BAD_BODY,
    UNKNOWN_IN_BODY,
    BAD_FIELD,
    refusal('missing_target', 'target_col is missing.'),
    NO_COLUMN,
    BODY_TOO_LARGE,
  ],
  async handle(c) {
    const body = await readJson(c);
    const job = await jobInBody(c, body);
    requireTarget(body);
    const request = parseFields(detectFamilyRequestSchema, body);
    const service = c.get('service');
    const choice = await detectTargetFamily(service, c.get('keyId'), job.id, request.target_col, goneSignal(c));
    const reply: DetectFamilyReply = { ...choice, ...unknownFields(detectFamilyRequestSchema, body) };
    return c.json(succeeded(reply));
  },
};

function requireTarget(body: JsonObject): void {
  if (Object.hasOwn(body, 'target_col') && body.target_col !== null) return;
  throw new ServiceError({ reason: 'target_not_given' });
}
