import manifest from '../package.json' with { type: 'json' };

/** The version that runs. */
export const VERSION: string = manifest.version;
