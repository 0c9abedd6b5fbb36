#!/usr/bin/env node
// `synth`, whatever Node runs it: starts cli/main.ts on the Node that the project pins, installing what is missing first.
// Plain JavaScript on built-ins alone, as scripts/run.mjs.
process.argv.splice(2, 0, 'cli/main.ts');
await import('../scripts/run.mjs');
