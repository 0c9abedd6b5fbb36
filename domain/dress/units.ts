/** What stands beside numbers: currencies, percent, units of measure. */

const CURRENCY_CODES =
  'USD|EUR|GBP|CHF|JPY|CNY|NOK|SEK|DKK|ISK|PLN|CZK|HUF|RON|TRY|RUB|AUD|CAD|NZD|HKD|SGD|INR|BRL|MXN|ZAR|KRW|THB|Rs\\.?|kr\\.?|Fr\\.?|zł|Kč';
const MONEY = new RegExp(`^\\s?(?:[A-Z]{0,2}\\p{Sc}|${CURRENCY_CODES})\\s?$`, 'u');
const PERCENT = /^\s?(?:%|pct\.?|percent)$/i;

/** Units that may stand next to a number without a space. */
const UNITS = new Set(
  (
    'mm cm dm m km in ft yd mi nm um µm μm mg g kg t lb lbs oz ml cl dl l L s sec ms min h hr hrs d yr yrs ' +
    'C F K °C °F ° Hz kHz MHz GHz W kW MW kWh MWh J kJ MJ kcal cal V mV kV mA Ah mAh Pa hPa kPa bar psi ' +
    'B kB KB MB GB TB Mb Gb px pt dB mph kmh km/h m/s m² m2 km² ft² sqft sqm m³ cm³ cc ppm ppb x × k M bn'
  ).split(' '),
);
/** A word after a space: " rooms", " km/h", " years". */
const WORD = /^[\s\u00a0\u202f][\p{L}°µμ%/²³.]{1,12}$/u;

export const isMoney = (text: string): boolean => MONEY.test(text);

export const isPercent = (text: string): boolean => PERCENT.test(text);

/** What may stand before a number and leave it one. */
export const isPrefix = (text: string): boolean => text === '' || isMoney(text);

/** What may stand behind a number and leave it one. */
export const isSuffix = (text: string): boolean =>
  text === '' || isMoney(text) || isPercent(text) || UNITS.has(text.trim()) || WORD.test(text);
