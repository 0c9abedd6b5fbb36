/** Distribution families that a request may name for its target. */
import { FAMILY_NAMES, type FamilyName } from '../../numerics/distributions/family.ts';

export const FAMILIES = FAMILY_NAMES;
export type Family = FamilyName;

export const isFamily = (text: string): text is Family => (FAMILIES as readonly string[]).includes(text);
