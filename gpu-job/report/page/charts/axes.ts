/**
 * What the drawings share. Real rows are filled bars or stand on the left, synthetic ones are a dark line, a lozenge, or
 * stand on the right: nothing is told by colour alone.
 */
import type { Axis } from '../../../../domain/schema/report.ts';

export type Ticks = Axis['ticks'];

/** Names at places of an axis, as an expression over literals. */
export function labelled(ticks: Ticks) {
  const [places, texts] = [ticks.map(({ at }) => at), ticks.map(({ text }) => text)];
  return {
    values: places,
    labelExpr: `${JSON.stringify(texts)}[indexof(${JSON.stringify(places)}, datum.value)]`,
  };
}

/** A scale from one end to the other, and no further. */
export const span = (from: number, to: number): { domain: number[]; nice: false } => ({
  domain: [from, to],
  nice: false,
});

export const shortened = (name: string): string => (name.length > 34 ? `${name.slice(0, 33)}…` : name);

export const SIDES = ['real', 'synthetic'] as const;
