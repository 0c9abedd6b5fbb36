/** Data of the service embedded in its page, such as bounds. */
import type { ConversionName } from '../../packages/client/contract.ts';
import type { GenerateRequestBody } from '../../packages/contract/requests.ts';

export type FamilyName = NonNullable<GenerateRequestBody['family']>;

export type SamplerName = NonNullable<GenerateRequestBody['sampler']>;

export interface Bound {
  min: number;
  max: number;
  default?: number;
}

export interface PageData {
  version: string;
  bounds: Record<'n_samples' | 'draws' | 'tune' | 'text_epochs' | 'text_temperature' | 'text_nucleus' | 'seed', Bound>;
  /** `auto` first. */
  families: readonly FamilyName[];
  /** `auto` first. */
  samplers: readonly SamplerName[];
  /** Download formats besides CSV. */
  formats: readonly { name: ConversionName; title: string; type: string }[];
  maxUploadBytes: number;
  /** Example table: address and name. */
  example: { path: string; name: string };
  /** Smaller tables need the request's permission. */
  minRealRows: number;
  /** Paths of the API, such as '/status/{job_id}'. */
  paths: string[];
}
