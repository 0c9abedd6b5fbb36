import manifest from '../../package.json' with { type: 'json' };

/** Written by the build from package.json. */
export const VERSION: string = manifest.version;
