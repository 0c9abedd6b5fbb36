/** The emulator takes any credentials; it deploys to the region that is named here. */
export const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1' };

/** The same, for a client of the SDK that is made by hand. */
export const clientSettings = {
  region: CREDENTIALS.AWS_REGION,
  credentials: { accessKeyId: CREDENTIALS.AWS_ACCESS_KEY_ID, secretAccessKey: CREDENTIALS.AWS_SECRET_ACCESS_KEY },
};
