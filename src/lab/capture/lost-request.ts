/** A request that was sent and whose answer is not in the run: the process died in between. */
export interface LostRequest {
  /** Id of the sample. */
  readonly id: string;
  readonly attempt: number;
  /** When it was about to be sent, ISO 8601. */
  readonly at: string;
}
