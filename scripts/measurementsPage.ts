/** docs/measurements.md, rendered from the JSON files in docs/measurements. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const measurementSchema = z
  .strictObject({
    title: z.string().min(1),
    /** Number of the decision that the figures support. */
    decision: z
      .string()
      .regex(/^\d{4}$/)
      .optional(),
    command: z.string().min(1).optional(),
    /** Date, version and machine. */
    measured: z.string().min(1).optional(),
    tables: z
      .array(
        z.strictObject({
          title: z.string().min(1),
          header: z.array(z.string()).min(1),
          rows: z.array(z.array(z.string())).min(1),
        }),
      )
      .min(1),
    notes: z.array(z.string().min(1)).max(3),
  })
  .refine(({ tables }) => tables.every(({ header, rows }) => rows.every((row) => row.length === header.length)), {
    error: 'Every row must have as many cells as its header.',
  });

export type Measurement = z.infer<typeof measurementSchema>;

const INTRODUCTION = `# Measurements

\`npm run docs:measurements\` writes this page from the files in \`docs/measurements/\`: edit those. Figures are from the time
of the decision that they support; \`npm run bench -- NAME\` prints current ones.`;

/** Throws ZodError if the file does not have the schema. */
export function parseMeasurement(json: string): Measurement {
  return measurementSchema.parse(JSON.parse(json));
}

/** @param docs the folder with `measurements/` and `decisions/`. */
export function measurementsPage(docs: string): string {
  const decisions = readdirSync(join(docs, 'decisions'));
  const folder = join(docs, 'measurements');
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const sections = names.toSorted().map((name) => {
    const measurement = parseMeasurement(readFileSync(join(folder, name), 'utf8'));
    return toSection(
      measurement,
      decisions.find((file) => file.startsWith(`${measurement.decision}-`)),
    );
  });
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}

/** @param decisionFile undefined if there is no such decision. Throws Error if the measurement names one. */
function toSection({ title, decision, command, measured, tables, notes }: Measurement, decisionFile?: string): string {
  if (decision !== undefined && decisionFile === undefined) throw new Error(`There is no decision ${decision}.`);
  const facts = [
    ...(decision === undefined ? [] : [`Decision: [${decision}](decisions/${decisionFile}).`]),
    ...(command === undefined ? [] : [`Command: \`${command}\`.`]),
    ...(measured === undefined ? [] : [`Measured: ${measured}.`]),
  ];
  const parts = [
    `## ${title}`,
    ...(facts.length === 0 ? [] : [facts.join(' ')]),
    ...tables.flatMap((table) => [`### ${table.title}`, toTable(table.header, table.rows)]),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join('\n')]),
  ];
  return parts.join('\n\n');
}

function toTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const toRow = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [toRow(header), `|${'---|'.repeat(header.length)}`, ...rows.map(toRow)].join('\n');
}
