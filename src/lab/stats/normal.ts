/** Evaluates a polynomial, highest power first. */
function polynomial(coefficients: readonly number[], at: number): number {
  return coefficients.reduce((sum, coefficient) => sum * at + coefficient, 0);
}

// Wichura 1988, algorithm AS 241 (PPND16): about 16 digits.
const central = {
  top: [
    2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946, 1971.5909503065513,
    133.14166789178438, 3.3871328727963665,
  ],
  bottom: [
    5226.495278852546, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751, 687.1870074920579,
    42.31333070160091, 1,
  ],
};
const near = {
  top: [
    0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045,
    5.769497221460691, 4.630337846156546, 1.4234371107496835,
  ],
  bottom: [
    1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008, 0.6897673349851,
    1.6763848301838038, 2.053191626637759, 1,
  ],
};
const far = {
  top: [
    2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124, 0.29656057182850487,
    1.7848265399172913, 5.463784911164114, 6.657904643501103,
  ],
  bottom: [
    2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 0.0007868691311456133, 0.014875361290850615,
    0.1369298809227358, 0.599832206555888, 1,
  ],
};

/** The value that a standard normal variable stays below with `probability`. Throws RangeError outside 0 to 1. */
export function normalQuantile(probability: number): number {
  if (!(probability > 0 && probability < 1)) throw new RangeError(`normalQuantile: ${probability}`);
  const offset = probability - 0.5;
  if (Math.abs(offset) <= 0.425) {
    const square = 0.180625 - offset * offset;
    return (offset * polynomial(central.top, square)) / polynomial(central.bottom, square);
  }
  const depth = Math.sqrt(-Math.log(Math.min(probability, 1 - probability)));
  const [{ top, bottom }, at] = depth <= 5 ? [near, depth - 1.6] : [far, depth - 5];
  return (Math.sign(offset) * polynomial(top, at)) / polynomial(bottom, at);
}

/** The chance that a standard normal variable lies above `value`, accurate far out in the tail as well. */
export function normalTail(value: number): number {
  if (value < 0) return 1 - normalTail(-value);
  const density = Math.exp((-value * value) / 2) / Math.sqrt(2 * Math.PI);
  if (value < 3) {
    // Marsaglia 2004: the series of the distribution function about zero.
    let [term, sum] = [value, value];
    for (let odd = 3; Math.abs(term) > 1e-17 * Math.abs(sum); odd += 2) {
      term *= (value * value) / odd;
      sum += term;
    }
    return 0.5 - density * sum;
  }
  // Laplace's continued fraction, from the inside out.
  let fraction = value;
  for (let depth = 120; depth > 0; depth--) fraction = value + depth / fraction;
  return density / fraction;
}
