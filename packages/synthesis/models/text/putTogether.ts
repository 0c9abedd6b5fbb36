/** Texts without a network: from word lists, or other cells of their row. */
import { ownedTexts, type TextGuard, textJudge } from '../../disclosure/guardTexts.ts';
import { type FitTask, type SampleTask, type TextColumn, textColumn } from '../model.ts';
import { byColumnSchema } from '../shared/savedArrays.ts';
import { type CellsInTexts, cellsInTextsSchema, findCellsInTexts, writeCellsInTexts } from './cellsInTexts.ts';
import { fitPersonNames, type PersonNames, personNamesSchema, writePersonNames } from './names/personNames.ts';
import { fitPlaceTexts, type PlaceTexts, placeTextsSchema, writePlaceTexts } from './names/placeTexts.ts';

export interface PutTogether {
  names: ReadonlyMap<string, PersonNames>;
  /** Addresses, towns and firms. */
  places: ReadonlyMap<string, PlaceTexts>;
  /** Longest first. */
  holding: ReadonlyMap<string, CellsInTexts>;
}

/** Absent in earlier versions. */
export const putTogetherShape = {
  names: byColumnSchema(personNamesSchema).default(() => new Map()),
  places: byColumnSchema(placeTextsSchema).default(() => new Map()),
  holding: byColumnSchema(cellsInTextsSchema).default(() => new Map()),
};

export const isPutTogether = ({ names, places, holding }: PutTogether, column: string): boolean =>
  names.has(column) || places.has(column) || holding.has(column);

export async function fitPutTogether(task: FitTask): Promise<PutTogether> {
  const names = new Map<string, PersonNames>();
  const places = new Map<string, PlaceTexts>();
  const holding = cellsHeld(task);
  for (const column of task.columns.filter((name) => !holding.has(name))) {
    const { texts, owners } = textsOfOwners(task, column);
    const ofPersons = await fitPersonNames(texts, column, owners);
    const ofPlaces = ofPersons ? undefined : await fitPlaceTexts(texts, column, owners);
    if (ofPersons) names.set(column, ofPersons);
    if (ofPlaces) places.set(column, ofPlaces);
    await task.yieldToEventLoop();
  }
  return { names, places, holding };
}

function cellsHeld({ table, columns, given, owners }: FitTask): Map<string, CellsInTexts> {
  const held = new Map<string, CellsInTexts>();
  const lengths = new Map(columns.map((name) => [name, charactersOf(textColumn(table, name))]));
  const longestFirst = [...columns].sort((a, b) => lengths.get(b)! - lengths.get(a)!);
  longestFirst.forEach((name, at) => {
    const others = [...longestFirst.slice(at + 1), ...given].flatMap((other) => table.columns.get(other) ?? []);
    const own = findCellsInTexts(textColumn(table, name).values, others, owners);
    if (own) held.set(name, own);
  });
  return held;
}

const charactersOf = ({ values }: TextColumn): number => values.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);

function textsOfOwners({ table, owners: ofRows }: FitTask, name: string): ReturnType<typeof ownedTexts> {
  const { texts, owners } = ownedTexts(textColumn(table, name).values, ofRows);
  if (!owners) return { texts, owners };
  const seen = new Set<string>();
  const rows = [...texts.keys()].filter((row) => {
    const own = `${owners[row]} ${texts[row]}`;
    return !seen.has(own) && seen.add(own);
  });
  return { texts: rows.map((row) => texts[row]!), owners: rows.map((row) => owners[row]!) };
}

/** Null if every attempt was refused. */
export async function writeFromLists(
  { names, places }: PutTogether,
  guards: ReadonlyMap<string, TextGuard>,
  { rows, random }: SampleTask,
): Promise<Map<string, (string | null)[]>> {
  const written = new Map<string, (string | null)[]>();
  const mayStandIn = (column: string) => textJudge(guards.get(column)!, rows).mayStand;
  for (const [column, own] of names) {
    written.set(column, await writePersonNames(own, rows, random.child(`names of ${column}`), mayStandIn(column)));
  }
  for (const [column, own] of places) {
    written.set(column, await writePlaceTexts(own, rows, random.child(`places of ${column}`), mayStandIn(column)));
  }
  return written;
}

/** Fills shorter texts first, since longer ones may contain them. */
export function withCells(
  { holding }: PutTogether,
  guards: ReadonlyMap<string, TextGuard>,
  texts: readonly TextColumn[],
  { rows, made, random }: SampleTask,
): TextColumn[] {
  const columns = new Map([...made.columns, ...texts.map((column) => [column.name, column] as const)]);
  for (const [name, own] of [...holding].reverse()) {
    const { mayStand } = textJudge(guards.get(name)!, rows);
    const values = writeCellsInTexts(own, { rows, columns }, random.child(`cells in ${name}`), mayStand);
    const column = texts.find((text) => text.name === name)!;
    columns.set(name, { ...column, values: filled(values, column.values) });
  }
  return texts.map(({ name }) => columns.get(name)).filter((column) => column?.kind === 'text');
}

export const filled = (own: readonly (string | null)[], otherwise: readonly (string | null)[]): (string | null)[] =>
  otherwise.map((text, row) => own[row] ?? text);
