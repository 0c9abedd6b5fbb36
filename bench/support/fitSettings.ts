/** Settings of a fit as a request has them that names none. */
import type { FitSettings } from '../../packages/synthesis/models/model.ts';

export const FIT_SETTINGS: FitSettings = {
  draws: 1000,
  tune: 1000,
  family: null,
  sampler: 'auto',
  calibrate: true,
  textEpochs: 3,
  textSampling: { temperature: 1, nucleus: 0.95 },
  keepRare: false,
};
