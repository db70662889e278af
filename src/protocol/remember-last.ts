/**
 * A function of a text that remembers its last answer: the samples of a scenario ask the same, and one reply is looked at from
 * many sides, one after the other. `compute` must be pure.
 */
export function rememberLast<Value>(compute: (text: string) => Value): (text: string) => Value {
  let last: { readonly text: string; readonly value: Value } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, value: compute(text) };
    return last.value;
  };
}
