import { z } from 'zod';
import { estimateSchema } from '../../domain/schema/estimate.ts';
import { generateRequestSchema } from '../../domain/schema/generateRequest.ts';
import { defineTool } from '../tool.ts';
import { chosenRoles, takesAuto } from './roles.ts';

export const estimate = defineTool({
  name: 'estimate',
  title: 'What would a job take?',
  description:
    'Takes what generate takes and starts nothing: seconds, memory, cost where the service knows prices, what the time goes to, and a plan that takes less. Ask before a job of many rows or long texts; tell the user where it takes minutes.',
  input: { ...generateRequestSchema.shape, auto: takesAuto },
  output: { ...estimateSchema.shape, roles: z.looseObject({}) },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run(service, { auto, ...request }, { signal }) {
    const roles = await chosenRoles(service, request, auto, signal);
    const { warnings: _, ...found } = await service.estimate({ ...request, ...roles }, { signal });
    const { seconds, memory_mb, cost, cheaper } = found;
    const price = cost ? `, about $${cost.usd.toFixed(3)} (assumed: ${cost.assumes})` : '';
    const plan = cheaper
      ? ` A cheaper plan takes about ${cheaper.seconds.expected} s with ${JSON.stringify(cheaper.fields)}; it gives up: ${cheaper.gives_up.join('; ')}.`
      : '';
    const text = `About ${seconds.expected} s (${seconds.low} to ${seconds.high}), ${memory_mb} MB${price}.${plan}`;
    return { text, data: { ...found, roles: { ...roles } } };
  },
});
