import { type CallbackSecretReply, callbackSecretReplySchema } from '../../packages/contract/replies.ts';
import { secretText } from '../../service/callback/deliverCallbacks.ts';
import { succeeded } from '../http/refused.ts';
import type { Route } from '../http/route.ts';

export const callbackSecret: Route = {
  method: 'get',
  path: '/callback-secret',
  access: 'key',
  needs: ['share callback secret'],
  summary: 'The secret that signs calls to callback_url',
  description:
    'Each key has one secret, which does not change. Every call has the headers `webhook-id`, `webhook-timestamp` (seconds since 1970) and `webhook-signature`: `v1,` followed by the HMAC-SHA256 of `id.timestamp.body` in base64, as in the Standard Webhooks specification. Refuse calls whose timestamp is more than five minutes off, and ids that you have seen before: a call whose answer is lost is repeated.',
  reply: {
    contentType: 'application/json',
    data: callbackSecretReplySchema,
    description: 'The secret.',
    example: { secret: 'whsec_c2VjcmV0IG9mIGFuIGV4YW1wbGUsIDMyIGJ5dGVzLi4=', algorithm: 'HMAC-SHA256' },
  },
  refusals: [],
  async handle(c) {
    const secret = await c.get('service').callbacks.secretOf(c.get('keyId'));
    const reply: CallbackSecretReply = { secret: secretText(secret), algorithm: 'HMAC-SHA256' };
    return c.json(succeeded(reply));
  },
};
