/** The one contract of tensor engines. */
import type { Values } from './graph.ts';
import type { Program } from './program.ts';

export type Feeds = Readonly<Record<string, Values>>;

export interface TensorEngine {
  /** For people: "onnxruntime on the CPU". */
  readonly name: string;
  /** True where programs run on a graphics processor. */
  readonly isGpu: boolean;
  /** Prepares a program. `frozen` has its frozen inputs; they must not change while the executable lives. */
  compile(program: Program, frozen: Feeds): Promise<Executable>;
}

/** Numbers by name. */
export interface StepResults {
  /** State after the last step, by input name. */
  state: Record<string, Float32Array>;
  /** Reports of all steps, by name. */
  reports: Record<string, Float32Array>;
}

export interface Executable {
  /**
   * Runs `steps` steps (≥ 1). `feeds` has state and per-step inputs, the latter with `steps` times the entries of one. They
   * are not changed, and what comes back does not change later.
   */
  run(feeds: Feeds, steps: number): Promise<StepResults>;
  /** Frees what it holds; it cannot run afterwards. */
  release(): Promise<void>;
}
