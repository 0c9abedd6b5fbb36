/** Data embedded in the page, such as bounds. */
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
  samplers: readonly SamplerName[];
  formats: readonly { name: ConversionName; title: string; type: string }[];
  maxUploadBytes: number;
  example: { path: string; name: string };
  /** Smaller tables need the request's permission. */
  minRealRows: number;
  paths: string[];
}
