/** "zero_inflated_poisson" as people write it. */
export const familyWords = (family: string): string => family.replaceAll('_', ' ');
