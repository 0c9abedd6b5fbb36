/** The name of the bundle for desktop assistants, said once for who makes it and who gives it out. */
export const BUNDLE_FILE = 'synthetic-tables.mcpb';
