/** Small tables, the same at every run. */

const CITIES = ['Bergen', 'Oslo', 'Tromsø'];
const WORDS = ['bright', 'quiet', 'old', 'near', 'the', 'harbour', 'with', 'garden', 'two', 'rooms', 'and', 'light'];

/** price (a number that the others explain), area (decimal), rooms (whole), city (category), note (free text). */
export function housesCsv(rows = 60): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const area = 40 + ((i * 37) % 83) + (i % 10) / 10;
    const rooms = 1 + (i % 5);
    const city = CITIES[(i * 7) % 3];
    const price = (area * 31.7 + rooms * 120 + ((i * 7) % 3) * 400 + ((i * 53) % 97)).toFixed(2);
    const note = Array.from({ length: 6 + (i % 5) }, (_, j) => WORDS[(i * 5 + j * j + j * 3) % WORDS.length]).join(' ');
    return `${price},${i % 11 === 4 ? '' : area.toFixed(1)},${rooms},${city},${note}`;
  });
  return `price,area,rooms,city,note\n${lines.join('\n')}\n`;
}

/** Names that break what trusts them. The last is empty: the service names it by its place. */
export const ODD_NAMES = ['__proto__', 'constructor', 'a,b', 'say "hi"', 'two\nlines', '🦒', 'y', ''];

/** A table under `ODD_NAMES`: categories, but `y`, which is a number. */
export function oddNamesCsv(rows = 60): string {
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const line = (i: number) =>
    ODD_NAMES.map((name, j) => (name === 'y' ? String(i * 1.5) : `v${(i + j) % 3}`)).join(',');
  return `${ODD_NAMES.map(quote).join(',')}\n${Array.from({ length: rows }, (_, i) => line(i)).join('\n')}\n`;
}
