/** A script or a set of scripts that cannot become a model, as one line that says which and what to do. */
export class ScriptedModelError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ScriptedModelError";
  }
}
