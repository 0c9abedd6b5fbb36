/** `auto` uses CUDA if there is a GPU and it starts, else the CPU. */
export const BACKENDS = ['auto', 'cpu', 'cuda', 'webgpu', 'tfjs-gpu'] as const;
export type Backend = (typeof BACKENDS)[number];
