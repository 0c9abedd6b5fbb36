/** What the service tells its page beforehand: a data block of the page, so that no bound is written into the page. */
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
  /** Names of families that a request may give, `auto` first. */
  families: readonly FamilyName[];
  /** Values of `sampler`, `auto` first. */
  samplers: readonly SamplerName[];
  /** What a table can be downloaded as beside CSV, by its value of `format` in GET /download. */
  formats: readonly { name: ConversionName; title: string; type: string }[];
  maxUploadBytes: number;
  /** A table of the service to try, by its address and name. */
  example: { path: string; name: string };
  /** Rows of a table below which it is used only where the request allows it. */
  minRealRows: number;
  /** Addresses that the service has, as in its description: '/status/{job_id}'. */
  paths: string[];
}
