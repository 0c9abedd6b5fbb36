export const asksForHelp = (args: readonly string[]): boolean => args.some((arg) => arg === '--help' || arg === '-h');

export const SERVE_USAGE = `Usage: synthetic-tables serve      run the service on this machine until Ctrl-C

It takes no options. Settings are environment variables, as in PORT=9000 synthetic-tables serve:
  HOST       address to listen on (127.0.0.1)
  PORT       port; 0 takes a free one (8080)
  DATA_DIR   folder of records, uploads and results (./data)
docs/settings.md lists all of them.

The first start makes an API key and prints it once, with an address that opens the page with it. Log lines, JSON, go
to standard error.`;

export const KEYS_USAGE = `Usage: synthetic-tables keys create NAME [--release]
                                         create a key; it is shown once. With --release it may release rows
                                         that a release policy withholds; the first key may always
       synthetic-tables keys list        ids, names, rights and times
       synthetic-tables keys revoke ID   revoke a key at once

Keys are those of the data folder that DATA_DIR names (./data).`;

export const BACKUP_USAGE = `Usage: synthetic-tables backup FOLDER   copy the data folder (DATA_DIR) to FOLDER, which is empty or not there

It works while the service runs. To restore it, start the service with DATA_DIR set to a copy of FOLDER.`;
