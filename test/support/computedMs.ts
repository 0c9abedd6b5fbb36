/** CPU time of this process with its threads: tests in other processes do not count. */
export function computedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
