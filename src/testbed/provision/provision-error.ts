/**
 * Why a server or client could not be provisioned, as one line for people. `unfit`: this machine cannot have it (platform, missing
 * compiler); `failed`: it could, and something went wrong.
 */
export class ProvisionError extends Error {
  readonly reason: "unfit" | "failed";

  constructor(reason: "unfit" | "failed", message: string) {
    super(message);
    this.name = "ProvisionError";
    this.reason = reason;
  }
}
