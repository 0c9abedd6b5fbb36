/**
 * Reference values of ArviZ 0.23.4 (NumPy 2.4.6, SciPy 1.17.1), by `rhat`, `ess` of bulk, tail, mean and the 25 % quantile,
 * `mcse` of mean, sd and the 10 % quantile, `bfmi` of the first chain, and `psislw`; on series that `makeSeries` makes again.
 */

/** Numerical Recipes' 32-bit generator, on (0, 1): simple enough to be written in two languages. */
export function congruential(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

export interface Series {
  seed: number;
  m: number;
  n: number;
  phi: number;
  shift: number;
  cubed: boolean;
  ties: boolean;
}

/** m autoregressive chains of n, each `shift` above the one before, cubed or floored. */
export function makeSeries({ seed, m, n, phi, shift, cubed, ties }: Series): Float64Array[] {
  const next = congruential(seed);
  return Array.from({ length: m }, (_, chain) => {
    let x = 0;
    return Float64Array.from({ length: n }, () => {
      x = phi * x + (next() + next() + next() + next() - 2);
      const y = x + shift * chain;
      if (cubed) return y * y * y;
      return ties ? Math.floor(y * 2) : y;
    });
  });
}

export const SERIES = [
  {
    name: 'ar',
    series: { seed: 1, m: 4, n: 100, phi: 0.5, shift: 0.0, cubed: false, ties: false },
    first: -0.18514850456267595,
    last: -0.20774197538681533,
    rHat: 1.0338736138935232,
    bulk: 170.3204228266155,
    tail: 193.71730768121708,
    mean: 171.38304088698695,
    q25: 237.49685399835673,
    errorOfMean: 0.051346713829079155,
    errorOfSd: 0.02892581322602991,
    errorOfQ10: 0.07553769406268324,
    bfmi: 1.3253654279253966,
  },
  {
    name: 'anti',
    series: { seed: 2, m: 4, n: 101, phi: -0.4, shift: 0, cubed: false, ties: false },
    first: -0.3723325487226248,
    last: 0.3119747073025519,
    rHat: 0.9967456504142632,
    bulk: 961.8420613508848,
    tail: 393.3493937838161,
    mean: 953.8804941954048,
    q25: 740.4459367666035,
    errorOfMean: 0.01999782883428378,
    errorOfSd: 0.022369493964045695,
    errorOfQ10: 0.04756366538074053,
    bfmi: 2.6353757268623896,
  },
  {
    name: 'slow',
    series: { seed: 3, m: 2, n: 500, phi: 0.98, shift: 0, cubed: false, ties: false },
    first: 0.4404834071174264,
    last: 7.352591651768419,
    rHat: 1.0449303719477172,
    bulk: 20.495920836699202,
    tail: 29.45808792144501,
    mean: 20.50882326581075,
    q25: 31.252718258907404,
    errorOfMean: 0.6116455873544734,
    errorOfSd: 0.3625909410647587,
    errorOfQ10: 0.6050798235027914,
    bfmi: 0.07480658007439175,
  },
  {
    name: 'shifted',
    series: { seed: 4, m: 4, n: 60, phi: 0.2, shift: 0.7, cubed: false, ties: false },
    first: 0.25329936295747757,
    last: 0.8511146658868249,
    rHat: 1.6709129016461377,
    bulk: 7.252310674995539,
    tail: 36.663592971908294,
    mean: 6.940701557929505,
    q25: 14.668308165795196,
    errorOfMean: 0.39210247379654534,
    errorOfSd: 0.1096420190419057,
    errorOfQ10: 0.2941105551255192,
    bfmi: 1.4317714270487176,
  },
  {
    name: 'heavy',
    series: { seed: 5, m: 3, n: 80, phi: 0.3, shift: 0, cubed: true, ties: false },
    first: 0.0002890056206678266,
    last: -0.000136367420478282,
    rHat: 1.0504150689704341,
    bulk: 83.93213245702995,
    tail: 175.21860934126465,
    mean: 89.88536773549947,
    q25: 151.1643657202396,
    errorOfMean: 0.06948438090875865,
    errorOfSd: 0.09187667150553873,
    errorOfQ10: 0.07898874461635594,
    bfmi: 1.7778780806517152,
  },
  {
    name: 'ties',
    series: { seed: 6, m: 4, n: 100, phi: 0.3, shift: 0, cubed: false, ties: true },
    first: 1.0,
    last: -1.0,
    rHat: 1.013150257275625,
    bulk: 232.1837992519837,
    tail: 277.71413522944226,
    mean: 234.87328742336567,
    q25: 310.89030425834187,
    errorOfMean: 0.08497430221932356,
    errorOfSd: 0.047446942216568574,
    errorOfQ10: 0.0,
    bfmi: 1.4543893948786417,
  },
];

/** Log ratios -0.3 scale log u + 0.1 v. `k`: the shape; of the log weights the largest, the first, Σ w² and Σ i w_i. */
export const RATIOS = [
  {
    name: 'light',
    seed: 11,
    n: 200,
    scale: 0.5,
    efficiency: 1.0,
    k: 0.10167247712846089,
    largest: -4.7276530101089875,
    first: -5.256181853673739,
    squares: 0.005132044106472514,
    mean: 99.30054328439934,
  },
  {
    name: 'middle',
    seed: 12,
    n: 400,
    scale: 3.0,
    efficiency: 1.0,
    k: 1.0074128208638968,
    largest: -1.318668538225899,
    first: -6.801702926480102,
    squares: 0.08748304556416828,
    mean: 174.7587211927633,
  },
  {
    name: 'wild',
    seed: 13,
    n: 1000,
    scale: 6.0,
    efficiency: 0.7,
    k: 1.7314665392988884,
    largest: -1.2995891870022147,
    first: -9.94822900677524,
    squares: 0.1705331245037221,
    mean: 490.40026093001364,
  },
  {
    name: 'small',
    seed: 14,
    n: 30,
    scale: 2.0,
    efficiency: 1.0,
    k: 0.1264795620653873,
    largest: -2.726975249092641,
    first: -3.088819166390179,
    squares: 0.03772378439231774,
    mean: 13.98703255382611,
  },
  {
    name: 'none',
    seed: 15,
    n: 12,
    scale: 1.0,
    efficiency: 1.0,
    k: Number.POSITIVE_INFINITY,
    largest: -1.4026768804311331,
    first: -2.553683903480387,
    squares: 0.1146134540906203,
    mean: 5.610941515522165,
  },
];
