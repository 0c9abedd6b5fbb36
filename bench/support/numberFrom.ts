/** A whole number from the environment. Throws where it is none. */
export function numberFrom(name: string, standard: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return standard;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a whole number; found ${JSON.stringify(text)}`);
  return Number(text);
}
