/**
 * What is to be done when a signal is aborted. A signal may live for thousands of requests, as that of a client's connection does.
 * Listeners of its own stand in a map that V8 makes anew in the old generation every few times one is added or taken away, and each
 * map that it leaves behind holds what it held, a whole request, until the next full collection. So a signal has one, for a list.
 */
const lists = new WeakMap<AbortSignal, (() => void)[]>();

/** Does something once when a signal is aborted, unless it is taken back before. */
export function addAbortAction(signal: AbortSignal, action: () => void): void {
  const known = lists.get(signal);
  if (known !== undefined) {
    known.push(action);
    return;
  }
  const list = [action];
  lists.set(signal, list);
  const run = (): void => {
    for (let next = list.shift(); next !== undefined; next = list.shift()) next();
  };
  signal.addEventListener("abort", run, { once: true });
}

/** Takes back what {@link addAbortAction} was given. */
export function removeAbortAction(signal: AbortSignal, action: () => void): void {
  const list = lists.get(signal);
  const at = list?.indexOf(action) ?? -1;
  const last = at === -1 ? undefined : list?.pop();
  if (list !== undefined && last !== undefined && last !== action) list[at] = last;
}
