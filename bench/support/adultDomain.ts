/** What the cells of adult may be, by the code book of the census of 1994: written down without looking at the rows. */
import type { ColumnDomain } from '../../packages/contract/privacy.ts';

const list = (levels: string): ColumnDomain => ({ levels: levels.split(' ') });
const whole = (min: number, max: number): ColumnDomain => ({ min, max, decimals: 0 });

const COUNTRIES = [
  'United-States Cambodia Canada China Columbia Cuba Dominican-Republic Ecuador El-Salvador England France Germany Greece',
  'Guatemala Haiti Holand-Netherlands Honduras Hong Hungary India Iran Ireland Italy Jamaica Japan Laos Mexico Nicaragua',
  'Outlying-US(Guam-USVI-etc) Peru Philippines Poland Portugal Puerto-Rico Scotland South Taiwan Thailand Trinadad&Tobago',
  'Vietnam Yugoslavia',
].join(' ');
const OCCUPATIONS = [
  'Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners Machine-op-inspct',
  'Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv Armed-Forces',
].join(' ');

export const ADULT_TARGET = 'class';

export const ADULT_DOMAIN: Readonly<Record<string, ColumnDomain>> = {
  age: whole(17, 90),
  workclass: list('Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked'),
  fnlwgt: whole(0, 1_500_000),
  education: list(
    'Preschool 1st-4th 5th-6th 7th-8th 9th 10th 11th 12th HS-grad Some-college Assoc-voc Assoc-acdm Bachelors Masters Prof-school Doctorate',
  ),
  education_num: whole(1, 16),
  marital_status: list(
    'Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse',
  ),
  occupation: list(OCCUPATIONS),
  relationship: list('Wife Own-child Husband Not-in-family Other-relative Unmarried'),
  race: list('White Asian-Pac-Islander Amer-Indian-Eskimo Other Black'),
  sex: list('Female Male'),
  capital_gain: whole(0, 99_999),
  capital_loss: whole(0, 5_000),
  hours_per_week: whole(1, 99),
  native_country: list(COUNTRIES),
  class: list('<=50K >50K'),
};
