import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { addAbortAction, removeAbortAction } from "../../src/http/abort-actions.ts";

it("an aborted signal does all that is not taken back, each once", () => {
  const client = new AbortController();
  const done: string[] = [];
  const actions = ["a", "b", "c", "d"].map((name) => () => void done.push(name));
  for (const action of actions) addAbortAction(client.signal, action);
  for (const at of [1, 3]) removeAbortAction(client.signal, actions[at] ?? (() => {}));
  client.abort();
  client.abort();
  expect(done.toSorted()).toEqual(["a", "c"]);
});

it("what is taken back twice, or was never added, takes nothing else away", () => {
  const client = new AbortController();
  const done: string[] = [];
  const kept = () => void done.push("kept");
  const gone = () => void done.push("gone");
  removeAbortAction(client.signal, gone);
  addAbortAction(client.signal, kept);
  addAbortAction(client.signal, gone);
  removeAbortAction(client.signal, gone);
  removeAbortAction(client.signal, gone);
  client.abort();
  expect(done).toEqual(["kept"]);
});

it("a signal keeps one listener for any number of actions", () => {
  const client = new AbortController();
  for (let time = 0; time < 100; time++) {
    const action = (): void => {};
    addAbortAction(client.signal, action);
    if (time % 2 === 0) removeAbortAction(client.signal, action);
  }
  expect(getEventListeners(client.signal, "abort")).toHaveLength(1);
});

it("an action may take back another while the signal is being aborted", () => {
  const client = new AbortController();
  const done: string[] = [];
  const second = () => void done.push("second");
  addAbortAction(client.signal, () => removeAbortAction(client.signal, second));
  addAbortAction(client.signal, second);
  client.abort();
  expect(done).toEqual([]);
});
