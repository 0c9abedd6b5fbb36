import { isCapital, spaced, WORD } from './personNames.ts';

export type PlaceKind = 'address' | 'town' | 'firm';

const STREET_WORD =
  /(?<!\p{L})(?:street|st|avenue|ave?|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|crescent|highway|hwy|parkway|pkwy|place|pl|square|sq|terrace|way|rue|chemin|all[ée]e|impasse|quai|calle|avenida|carrera|plaza|paseo|rua|travessa|alameda|via|viale|corso|piazza|vicolo|ulica|ul)(?!\p{L})|(?:stra(?:ß|ss)e|str|weg|platz|gasse|allee|gate|gata|gatan|veien?|v[äa]gen|straat|laan|plein|gracht|katu|tie)(?!\p{L})/iu;
const FIRM_WORD =
  /(?<!\p{L})(?:inc|llc|ltd|limited|plc|corp|corporation|co|company|gmbh|ag|kg|ohg|gbr|sarl|s\.?a\.?s?|s\.?l\.?u?|s\.?r\.?l|s\.?p\.?a|bv|nv|as|asa|ab|oy|aps|ltda|eurl|pty|sons|s[øo]nner|s[öo]hne|associates|partners|group|gruppe|groupe|grupo|holdings?)(?!\p{L})/iu;
const CALLED: Readonly<Record<PlaceKind, RegExp>> = {
  address:
    /(^| )(address(es)?|addr|street|streetname|road|stra(ss|ß)e|adresse|anschrift|rue|direcci[oó]n|calle|endere[cç]o|indirizzo|gata|gate|straat)( |$)/i,
  town: /(^| )(city|town|municipality|stadt|ort|wohnort|ville|commune|ciudad|municipio|cidade|citt[aà]|comune|plaats|stad|by|kommune)( |$)/i,
  firm: /(^| )(company|firm|employer|business name|organi[sz]ation|firma|unternehmen|arbeitgeber|entreprise|soci[eé]t[eé]|empresa|azienda|bedrijf|selskap)( |$)/i,
};

/** Minimum shares of cells with a fitting word, without and with a fitting column name. */
const SHARES: Readonly<Record<PlaceKind, { alone: number; called: number }>> = {
  address: { alone: 0.7, called: 0.3 },
  town: { alone: Number.POSITIVE_INFINITY, called: 0 },
  firm: { alone: 0.5, called: 0.15 },
};
const CAPITAL_SHARE = 0.7;
const LONGEST = 120;
const MAX_WORDS = 14;
const STRANGE_SHARE = 0.05;

/** Most addresses need numbers; towns and firms must be short and capitalised. */
export function placeKindOf(column: string, cells: readonly string[]): PlaceKind | undefined {
  const words = cells.map((cell) => cell.match(WORD) ?? []);
  const strange = cells.filter(
    (cell, i) => cell.length > LONGEST || words[i]!.length > MAX_WORDS || words[i]!.length === 0,
  );
  const capitals = words.flat().filter(isCapital).length;
  if (strange.length > STRANGE_SHARE * cells.length || capitals < CAPITAL_SHARE * words.flat().length) return undefined;
  const shareOf = (holds: (cell: string) => boolean): number => cells.filter(holds).length / cells.length;
  const shares: Readonly<Record<PlaceKind, number>> = {
    address: Math.min(
      shareOf((cell) => STREET_WORD.test(cell)),
      shareOf((cell) => /\d/.test(cell)),
    ),
    town: shareOf((cell) => !/[\d@/]/.test(cell)) > 1 - STRANGE_SHARE ? 1 : -1,
    firm: shareOf((cell) => FIRM_WORD.test(cell)),
  };
  const name = spaced(column);
  return (['address', 'firm', 'town'] as const).find(
    (kind) => shares[kind] >= (CALLED[kind].test(name) ? SHARES[kind].called : SHARES[kind].alone),
  );
}
