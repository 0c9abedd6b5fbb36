import type { Log } from '../service/ports.ts';

export function createJsonLog(write: (line: string) => void): Log {
  const line =
    (level: 'info' | 'error'): Log['info'] =>
    (event, fields) =>
      write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`);
  return { info: line('info'), error: line('error') };
}
