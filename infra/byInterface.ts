/**
 * A CDK object by its interface. CDK's classes declare optional properties as "string | undefined", which
 * `exactOptionalPropertyTypes` does not take for the "?: string" of their own interfaces.
 */
export const byInterface = <Interface>(object: { [Name in keyof Interface]: Interface[Name] | undefined }): Interface =>
  object as Interface;
