import { ServiceError } from '../../domain/errors.ts';
import { detectTargetFamily } from '../../domain/job/detectTargetFamily.ts';
import { detectFamilyRequestSchema } from '../../domain/schema/detectFamilyRequest.ts';
import { type DetectFamilyReply, detectFamilyReplySchema } from '../../domain/schema/replies.ts';
import { succeeded } from '../http/envelope.ts';
import { jobInBody } from '../http/jobInBody.ts';
import { type JsonObject, parseFields, readJson, unknownFields } from '../http/readJson.ts';
import { BAD_BODY, BAD_FIELD, BODY_TOO_LARGE, NO_COLUMN, UNKNOWN_IN_BODY } from '../http/refusals.ts';
import { type Route, refusal } from '../http/route.ts';

export const detectFamily: Route = {
  method: 'post',
  path: '/detect_family',
  access: 'key',
  summary: 'Which family would "auto" choose for this target?',
  description:
    'Looks at the profile of the upload, not at the file, and compares families on its sample of rows: the answer takes less than a second whatever the size. A job whose family is auto makes the same choice.',
  request: {
    contentType: 'application/json',
    schema: detectFamilyRequestSchema,
    example: { job_id: '0f8c1a…', target_col: 'mass' },
  },
  reply: {
    contentType: 'application/json',
    data: detectFamilyReplySchema,
    description: 'The family, why, and the families that it was compared with.',
    example: {
      family: 'gaussian',
      reason:
        'These are numbers above 0 (mean 4200, skewness 0.47). On 342 rows given "species" and "flipper_length", gaussian predicts held-out values better than student t: its log score is higher by 0.3 with a standard error of 0.1.',
      candidates: [
        { family: 'gaussian', log_score: -2410.2 },
        { family: 'student_t', log_score: -2410.5 },
      ],
      runner_up: { family: 'student_t', difference: 0.3, standard_error: 0.1 },
      rows: 342,
      predictors: ['species', 'flipper_length'],
    },
  },
  refusals: [
    BAD_BODY,
    UNKNOWN_IN_BODY,
    BAD_FIELD,
    refusal('missing_target', 'target_col is not given.'),
    NO_COLUMN,
    BODY_TOO_LARGE,
  ],
  async handle(c) {
    const body = await readJson(c);
    const job = await jobInBody(c, body);
    requireTarget(body);
    const request = parseFields(detectFamilyRequestSchema, body);
    const choice = await detectTargetFamily(c.get('service'), c.get('keyId'), job.id, request.target_col);
    const reply: DetectFamilyReply = { ...choice, ...unknownFields(detectFamilyRequestSchema, body) };
    return c.json(succeeded(reply));
  },
};

function requireTarget(body: JsonObject): void {
  if (Object.hasOwn(body, 'target_col') && body.target_col !== null) return;
  throw new ServiceError(
    'missing_target',
    'target_col is not given. Name the numeric column whose family is asked for.',
  );
}
