export const BUNDLE_FILE = 'synthetic-tables.mcpb';
