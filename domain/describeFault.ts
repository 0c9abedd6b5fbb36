/** A fault for the log: name, system code and call frames. The message stays out: it may quote a cell. */
const FRAMES = 8;

export function describeFault(fault: unknown): { fault: string; fault_code: string; at: string } {
  if (!(fault instanceof Error)) return { fault: typeof fault, fault_code: '', at: '' };
  const frames = (fault.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const at = frames
    .slice(0, FRAMES)
    .map((line) => line.trim())
    .join(' < ');
  return { fault: fault.name, fault_code: 'code' in fault ? String(fault.code) : '', at };
}
