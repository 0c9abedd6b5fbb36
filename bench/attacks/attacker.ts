/** Run as a process of its own: one attack on the service until SIGTERM. Prints what came of it. */
import { EventEmitter } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { z } from 'zod';
import { ATTACKS, Attacker, victimSchema } from './attacks.ts';

/** Attackers have processors of their own; here they share those of the service. */
const NICENESS = 19;

const orderSchema = z.object({ victim: victimSchema, attack: z.string() });

const { victim, attack } = orderSchema.parse(JSON.parse(process.argv[2] ?? ''));
const stop = new AbortController();
EventEmitter.setMaxListeners(0, stop.signal);
process.on('SIGTERM', () => stop.abort());
setPriority(getPriority() + NICENESS);
const attacker = new Attacker(victim, stop.signal);
// A socket that reads nothing does not see that it was closed: where all are such, nothing else keeps the process.
const alive = setInterval(() => undefined, 1000);
await ATTACKS[attack]?.(attacker, victim);
clearInterval(alive);
process.stdout.write(JSON.stringify(attacker.tally), () => process.exit(0));
