const INV_SQRT_2PI = 0.3989422804014327;
const SQRT_32 = 5.656854249492381;

// Cody (1969), "Rational Chebyshev approximations for the error function", ANORM.
const A = [2.2352520354606837, 161.02823106855587, 1067.6894854603709, 18154.98125334356] as const;
const A_TOP = 0.06568233791820745;
const B = [47.202581904688245, 976.0985517377767, 10260.932208618979, 45507.78933502673] as const;
const C = [
  0.39894151208813466, 8.883149794388377, 93.50665613217785, 597.2702763948002, 2494.5375852903726, 6848.190450536283,
  11602.65143764735, 9842.714838383978,
] as const;
const C_TOP = 1.0765576773720192e-8;
const D = [
  22.266688044328117, 235.387901782625, 1519.3775994075547, 6485.558298266761, 18615.571640885097, 34900.95272114598,
  38912.00328609327, 19685.429676859992,
] as const;
const P = [
  0.215898534057957, 0.12740116116024736, 0.022235277870649807, 0.0014216191932278934, 2.9112874951168793e-5,
] as const;
const P_TOP = 0.023073441764940174;
const Q = [
  1.284260096144911, 0.4682382124808651, 0.06598813786892856, 0.0037823963320275824, 7.297515550839662e-5,
] as const;

/** Standard normal density. */
export const normalPdf = (x: number): number => INV_SQRT_2PI * Math.exp(-0.5 * x * x);

/** P(Z ≤ x) (Cody 1969), relative error about 1e-15 (1e-14 below -10); 0 below about -38.5. NaN gives NaN. */
export function normalCdf(x: number): number {
  const y = Math.abs(x);
  if (Number.isNaN(x)) return Number.NaN;
  if (y <= 0.67448975) return 0.5 + centralPart(x);
  const tail = y <= SQRT_32 ? tailMiddle(y) : tailFar(y);
  return x > 0 ? 1 - tail : tail;
}

/** Signed P(0 < Z ≤ x), |x| ≤ 0.675. */
function centralPart(x: number): number {
  const square = x * x;
  let numerator = A_TOP * square;
  let denominator = square;
  for (let i = 0; i < 3; i++) {
    numerator = (numerator + A[i]!) * square;
    denominator = (denominator + B[i]!) * square;
  }
  return (x * (numerator + A[3])) / (denominator + B[3]);
}

/** exp(-y²/2) with a split square, accurate for large y. */
function halfSquareExp(y: number): number {
  const head = Math.trunc(y * 16) / 16;
  const rest = (y - head) * (y + head);
  return Math.exp(-head * head * 0.5) * Math.exp(-rest * 0.5);
}

/** P(Z > y), 0.675 < y ≤ √32. */
function tailMiddle(y: number): number {
  let numerator = C_TOP * y;
  let denominator = y;
  for (let i = 0; i < 7; i++) {
    numerator = (numerator + C[i]!) * y;
    denominator = (denominator + D[i]!) * y;
  }
  return (halfSquareExp(y) * (numerator + C[7])) / (denominator + D[7]);
}

/** P(Z > y), y > √32. */
function tailFar(y: number): number {
  if (y > 40) return 0;
  const inverse = 1 / (y * y);
  let numerator = P_TOP * inverse;
  let denominator = inverse;
  for (let i = 0; i < 4; i++) {
    numerator = (numerator + P[i]!) * inverse;
    denominator = (denominator + Q[i]!) * inverse;
  }
  const series = (inverse * (numerator + P[4])) / (denominator + Q[4]);
  return (halfSquareExp(y) * (INV_SQRT_2PI - series)) / y;
}

// Wichura (1988), "Algorithm AS 241: The percentage points of the normal distribution", PPND16; highest power first.
const CENTRE_TOP = [
  2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946, 1971.5909503065513,
  133.14166789178438, 3.3871328727963665,
] as const;
const CENTRE_BOTTOM = [
  5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751, 687.1870074920579,
  42.31333070160091, 1,
] as const;
const MIDDLE_TOP = [
  0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045,
  5.769497221460691, 4.630337846156546, 1.4234371107496835,
] as const;
const MIDDLE_BOTTOM = [
  1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008, 0.6897673349851,
  1.6763848301838038, 2.053191626637759, 1,
] as const;
const FAR_TOP = [
  2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124, 0.29656057182850487,
  1.7848265399172913, 5.463784911164114, 6.657904643501103,
] as const;
const FAR_BOTTOM = [
  2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 0.0007868691311456133, 0.014875361290850615,
  0.1369298809227358, 0.599832206555888, 1,
] as const;

type Coefficients = readonly [number, number, number, number, number, number, number, number];

/** Twice as fast as a loop. */
const polynomial = (c: Coefficients, x: number): number =>
  ((((((c[0] * x + c[1]) * x + c[2]) * x + c[3]) * x + c[4]) * x + c[5]) * x + c[6]) * x + c[7];

/** Solves P(Z ≤ x) = p (Wichura 1988), relative error about 1e-16. ∓Infinity at 0 and 1; NaN outside. */
export function normalQuantile(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    return (q * polynomial(CENTRE_TOP, r)) / polynomial(CENTRE_BOTTOM, r);
  }
  if (!(p >= 0 && p <= 1)) return Number.NaN;
  const tail = q < 0 ? p : 1 - p;
  if (tail === 0) return q < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const r = Math.sqrt(-Math.log(tail));
  const x =
    r <= 5
      ? polynomial(MIDDLE_TOP, r - 1.6) / polynomial(MIDDLE_BOTTOM, r - 1.6)
      : polynomial(FAR_TOP, r - 5) / polynomial(FAR_BOTTOM, r - 5);
  return q < 0 ? -x : x;
}
