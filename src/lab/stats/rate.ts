/** A rate with its 95 % Wilson interval; `of` 0 gives rate null and the interval 0 to 1. */
export interface Rate {
  readonly count: number;
  readonly of: number;
  readonly rate: number | null;
  readonly low: number;
  readonly high: number;
}
