/** Everything that is wrong with scenarios, suites or a request file, one clear line each. */
export class ScenarioProblems extends Error {
  override readonly name = "ScenarioProblems";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}
