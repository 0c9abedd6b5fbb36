/** From least to greatest, with synonyms grouped. */
const SCALES: readonly (readonly (readonly string[])[])[] = [
  [['none'], ['very low'], ['low'], ['medium', 'moderate', 'middle', 'average'], ['high'], ['very high']],
  [['none'], ['very small'], ['small'], ['medium'], ['large'], ['very large']],
  [['xxs'], ['xs'], ['s'], ['m'], ['l'], ['xl'], ['xxl']],
  [['none'], ['minimal'], ['mild'], ['moderate'], ['severe'], ['very severe', 'critical']],
  [['never'], ['rarely', 'seldom'], ['sometimes'], ['often'], ['usually'], ['always']],
  [['very bad', 'very poor'], ['bad', 'poor'], ['fair'], ['good'], ['very good'], ['excellent']],
  [['fair'], ['good'], ['very good'], ['premium'], ['ideal']],
  [['strongly disagree'], ['disagree'], ['neutral'], ['agree'], ['strongly agree']],
  [['very dissatisfied'], ['dissatisfied'], ['neutral'], ['satisfied'], ['very satisfied']],
  [['very negative'], ['negative'], ['neutral'], ['positive'], ['very positive']],
  [
    ['first', '1st'],
    ['second', '2nd'],
    ['third', '3rd'],
    ['fourth', '4th'],
    ['fifth', '5th'],
  ],
  [['primary'], ['secondary'], ['tertiary']],
];

/** Returns indices of levels, least first; null without an order. */
export function levelOrder(levels: readonly string[]): number[] | null {
  const keys = [numbersIn(levels), ...SCALES.map((scale) => placesOn(scale, levels))].find(isOrder);
  return keys ? [...levels.keys()].sort((a, b) => keys[a]! - keys[b]!) : null;
}

const isOrder = (keys: readonly number[]): boolean => keys.every(Number.isFinite) && new Set(keys).size === keys.length;

/** "18-24", "65+", "<=50K", "$10", "3 doors". */
const NUMBER = /^(<=|>=|<|>|≤|≥)?\s*[$€£]?(-?\d+(?:\.\d+)?)(?!\p{L}*\d)/u;
const SIDES: Readonly<Record<string, number>> = {
  '<': -1e-9,
  '<=': -1e-9,
  '≤': -1e-9,
  '>': 1e-9,
  '>=': 1e-9,
  '≥': 1e-9,
};

function numbersIn(levels: readonly string[]): number[] {
  return levels.map((level) => {
    const [, side = '', number = ''] = NUMBER.exec(level.trim().replaceAll(',', '')) ?? [];
    const value = number === '' ? Number.NaN : Number(number);
    return value + (SIDES[side] ?? 0) * Math.max(1, Math.abs(value));
  });
}

function placesOn(scale: (typeof SCALES)[number], levels: readonly string[]): number[] {
  return levels.map((level) => {
    const word = level
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_-]+/g, ' ');
    const place = scale.findIndex((words) => words.includes(word));
    return place < 0 ? Number.NaN : place;
  });
}
