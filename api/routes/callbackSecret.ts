import { secretText } from '../../domain/callback/signCallback.ts';
import { type CallbackSecretReply, callbackSecretReplySchema } from '../../domain/schema/replies.ts';
import { succeeded } from '../http/envelope.ts';
import type { Route } from '../http/route.ts';

export const callbackSecret: Route = {
  method: 'get',
  path: '/callback-secret',
  access: 'key',
  summary: 'The secret that calls to callback_url are signed with',
  description:
    'Of this key, and the same at every time. A call has the headers `webhook-id`, `webhook-timestamp` (seconds since 1970) and `webhook-signature`: `v1,` and HMAC-SHA256 over `id.timestamp.body` in base64, as the Standard Webhooks specification has it. Refuse calls whose time is more than five minutes off, and ids that have been seen: a call whose answer is lost comes again.',
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
