/** Roots of increasing functions of one variable. */

/**
 * The v in (0, 1) with h(v) = p, by Newton on the logit scale inside a shrinking bracket: there h is nearly a line
 * in the middle and in the tails. `density` is h'. Ends where |h - p| is lost in rounding, or the bracket is empty.
 */
export function invertConditional(h: (v: number) => number, density: (v: number) => number, p: number): number {
  const goal = Math.log(p) - Math.log1p(-p);
  let low = -36;
  let high = 36;
  let x = Math.min(Math.max(goal, low), high);
  let lastGap = Number.POSITIVE_INFINITY;
  for (let step = 0; step < 200; step++) {
    const v = 1 / (1 + Math.exp(-x));
    const value = h(v);
    const gap = value - p;
    if (Math.abs(gap) <= 1e-15 * p) return v;
    if (gap > 0) high = x;
    else low = x;
    if (high - low < 1e-14 * Math.max(1, Math.abs(x))) return v;
    const slope = (density(v) * v * (1 - v)) / (value * (1 - value));
    const move = (Math.log(value) - Math.log1p(-value) - goal) / slope;
    const next = x - move;
    // A step that does not halve the one before is Newton going round in circles.
    const inside = next > low && next < high && Math.abs(move) < 0.5 * lastGap;
    lastGap = inside ? Math.abs(move) : Number.POSITIVE_INFINITY;
    if (inside && Math.abs(next - x) < 1e-15 * Math.max(1, Math.abs(x))) return v;
    x = inside ? next : 0.5 * (low + high);
  }
  return 1 / (1 + Math.exp(-x));
}

/** The x in [low, high] where the increasing `f` passes `goal`, to 1e-14 of the interval; an end where it never does. */
export function solveIncreasing(f: (x: number) => number, goal: number, low: number, high: number): number {
  let [a, b] = [low, high];
  let [fa, fb] = [f(a) - goal, f(b) - goal];
  if (fa >= 0) return a;
  if (fb <= 0) return b;
  // Illinois's false position, with a bisection every third step so that the bracket shrinks surely.
  for (let step = 1; step < 200 && b - a > 1e-15 * Math.max(Math.abs(a), Math.abs(b)); step++) {
    const x = step % 3 === 0 ? 0.5 * (a + b) : (a * fb - b * fa) / (fb - fa);
    const fx = f(x) - goal;
    if (fx === 0) return x;
    if (fx < 0) {
      a = x;
      fa = fx;
      fb /= step % 3 === 0 ? 1 : 2;
    } else {
      b = x;
      fb = fx;
      fa /= step % 3 === 0 ? 1 : 2;
    }
  }
  return 0.5 * (a + b);
}
