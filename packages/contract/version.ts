import manifest from '../../package.json' with { type: 'json' };

/** The version of this software, which package.json alone says; the build writes it down. */
export const VERSION: string = manifest.version;
