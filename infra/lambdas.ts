import type { Need, Route } from '../api/http/route.ts';
import { ROUTE_GROUPS } from '../api/routes.ts';

const TIMED = ['reconcile', 'expire'] as const;

export type ApiFunctionName = keyof typeof ROUTE_GROUPS;
export type TimedFunctionName = (typeof TIMED)[number];
export type FunctionName = ApiFunctionName | TimedFunctionName;

export const API_FUNCTIONS = Object.keys(ROUTE_GROUPS) as ApiFunctionName[];
export const FUNCTIONS: readonly FunctionName[] = [...API_FUNCTIONS, ...TIMED];

export const isTimed = (name: FunctionName): name is TimedFunctionName => name === 'reconcile' || name === 'expire';

const routesOf = (name: FunctionName): readonly Route[] => (isTimed(name) ? [] : ROUTE_GROUPS[name]);

/** Includes routes that handlers call. */
export const routesWithin = (name: FunctionName): readonly Route[] =>
  routesOf(name).flatMap((route) => [route, ...(route.calls ?? [])]);

export const needs = (name: FunctionName, need: Need): boolean =>
  routesWithin(name).some((route) => route.needs?.includes(need));

export const streams = (name: FunctionName): boolean => routesOf(name).some((route) => route.streams);

export const entryOf = (name: FunctionName): string => `lambdas/${isTimed(name) ? name : 'routes'}.ts`;

export const handlerOf = (name: FunctionName): string => `index.${streams(name) ? 'streaming' : 'handler'}`;

export function descriptionOf(name: FunctionName): string {
  const routes = routesOf(name).map(({ method, path }) => `${method.toUpperCase()} ${addressOf(path)}`);
  return `${name}: ${isTimed(name) ? entryOf(name) : routes.join(', ')}`;
}

/** API Gateway's parameters are whole path segments. */
export const addressesOf = (name: FunctionName): readonly string[] => [
  ...new Set(routesOf(name).map(({ path }) => addressOf(path))),
];

const addressOf = (path: string): string => path.replace(/:(\w+)(\.\w+)?/g, '{$1}');

export function mapFunctions<T>(make: (name: FunctionName) => T): Record<FunctionName, T> {
  const made: Partial<Record<FunctionName, T>> = {};
  for (const name of FUNCTIONS) made[name] = make(name);
  return made as Record<FunctionName, T>;
}
