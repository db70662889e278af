/**
 * One step of a script: after token `from`, script `script` goes on with `to`; `logit` 0 is certain, branches are below.
 * `carrier`: what makes it happen. `both`: token and script together, so that scripts may share tokens; `token`: the token
 * alone, which then is followed by nothing else in any script.
 */
export interface Step {
  readonly script: number;
  readonly from: number;
  readonly to: number;
  readonly logit: number;
  readonly carrier: "both" | "token";
}

/**
 * The steps of all scripts. A scripted model adds what the last token says to what the script says, so no step may come
 * about as the sum of two other scripts' steps: `add` refuses one that would, and another piece has to be found.
 */
export interface Automaton {
  /** Adds a step unless it would make one ambiguous; false where it would. */
  add(step: Step): boolean;
  /** Takes back the last step that was added. */
  undo(): void;
  readonly steps: readonly Step[];
  /** Does the script write this token somewhere? A token is a state, so it is written once. */
  writes(script: number, token: number): boolean;
}

/** An automaton without steps. */
export function createAutomaton(): Automaton {
  const steps: Step[] = [];
  const written = new PairCounts();
  /** script × token: tokens that the script by itself makes likelier. */
  const favoured = new PairCounts();
  /** script × from and from × script: the states of each script. */
  const states = new PairCounts();
  const visitors = new PairCounts();
  /** from × to over all scripts, and those carried by the token alone. */
  const successors = new PairCounts();
  const pinned = new PairCounts();
  /** The continuations of one state of one script. */
  const continuations = new Map<string, Map<number, number>>();

  const next = (script: number, from: number): ReadonlyMap<number, number> =>
    continuations.get(`${script} ${from}`) ?? new Map();
  const favours = (script: number, token: number): boolean => favoured.has(script, token);

  const refused = ({ script, from, to, carrier }: Step): boolean => {
    const others = [...successors.row(from)].filter((token) => token !== to);
    if (carrier === "token" ? others.length > 0 : others.some((token) => pinned.has(from, token))) return true;
    if (carrier === "token") return pinned.row(from).length === 0 && successors.row(from).length > 0;
    if (pinned.has(from, to)) return true;
    // Another script that comes by this state and favours `to` for elsewhere would now have two ways on.
    for (const other of visitors.row(from)) {
      if (other !== script && !next(other, from).has(to) && favours(other, to)) return true;
    }
    // This script would have two ways on: where others step from here to a token that it favours for elsewhere …
    if (others.some((token) => !next(script, from).has(token) && favours(script, token))) return true;
    // … and where its earlier states are left by others with this very token.
    if (favours(script, to)) return false;
    return states.row(script).some((state) => {
      return state !== from && !next(script, state).has(to) && successors.has(state, to);
    });
  };

  const count = ({ script, from, to, carrier }: Step, by: 1 | -1): void => {
    written.add(script, to, by);
    states.add(script, from, by);
    visitors.add(from, script, by);
    successors.add(from, to, by);
    if (carrier === "token") pinned.add(from, to, by);
    else favoured.add(script, to, by);
    const key = `${script} ${from}`;
    const row = continuations.get(key) ?? new Map<number, number>();
    const value = (row.get(to) ?? 0) + by;
    if (value === 0) row.delete(to);
    else row.set(to, value);
    continuations.set(key, row);
  };

  return {
    steps,
    writes: (script, token) => written.has(script, token),
    add: (step) => {
      if (refused(step)) return false;
      steps.push(step);
      count(step, 1);
      return true;
    },
    undo: () => {
      const step = steps.pop();
      if (step !== undefined) count(step, -1);
    },
  };
}

/** How often each pair of numbers was counted. */
class PairCounts {
  readonly #rows = new Map<number, Map<number, number>>();

  add(first: number, second: number, by: 1 | -1): void {
    const row = this.#rows.get(first) ?? new Map<number, number>();
    this.#rows.set(first, row);
    const value = (row.get(second) ?? 0) + by;
    if (value === 0) row.delete(second);
    else row.set(second, value);
  }

  has(first: number, second: number): boolean {
    return this.#rows.get(first)?.has(second) ?? false;
  }

  row(first: number): readonly number[] {
    return [...(this.#rows.get(first)?.keys() ?? [])];
  }
}
