/** For test/architecture.test.ts: a circle of types. */
import type { Two } from './two.ts';

export interface One {
  two: Two;
}
