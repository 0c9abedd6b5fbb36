/**
 * Maximises a function of one variable on [low, high] by Brent's (1973) parabolic and golden steps, to `tolerance` in the
 * argument. Returns [argument, value]; the ends themselves are tried.
 */
export function brent(f: (x: number) => number, low: number, high: number, tolerance: number): [number, number] {
  const golden = 0.5 * (3 - Math.sqrt(5));
  let [a, b] = [low, high];
  let x = a + golden * (b - a);
  let [w, v] = [x, x];
  let fx = -f(x);
  let [fw, fv] = [fx, fx];
  let [step, before] = [0, 0];
  for (let i = 0; i < 100; i++) {
    const middle = 0.5 * (a + b);
    const least = tolerance * Math.abs(x) + 1e-12;
    if (Math.abs(x - middle) <= 2 * least - 0.5 * (b - a)) break;
    const r = (x - w) * (fx - fv);
    let q = (x - v) * (fx - fw);
    let p = (x - v) * q - (x - w) * r;
    q = 2 * (q - r);
    if (q > 0) p = -p;
    q = Math.abs(q);
    const parabola = Math.abs(p) < Math.abs(0.5 * q * before) && p > q * (a - x) && p < q * (b - x);
    if (parabola) {
      before = step;
      step = p / q;
    } else {
      before = x < middle ? b - x : a - x;
      step = golden * before;
    }
    const u = x + (Math.abs(step) >= least ? step : Math.sign(step) * least);
    const fu = -f(u);
    if (fu <= fx) {
      if (u < x) b = x;
      else a = x;
      [v, fv, w, fw, x, fx] = [w, fw, x, fx, u, fu];
    } else {
      if (u < x) a = u;
      else b = u;
      if (fu <= fw || w === x) [v, fv, w, fw] = [w, fw, u, fu];
      else if (fu <= fv || v === x || v === w) [v, fv] = [u, fu];
    }
  }
  let best: [number, number] = [x, -fx];
  for (const end of [low, high]) {
    if (Math.abs(x - end) > 0.02 * (high - low)) continue;
    const value = f(end);
    if (value > best[1]) best = [end, value];
  }
  return best;
}
