// Parts of undici that its own types do not name; `undici-parts.ts` says what they are.
declare module "undici/lib/dispatcher/pool.js" {
  const pool: unknown;
  export = pool;
}
declare module "undici/lib/core/connect.js" {
  const connect: unknown;
  export = connect;
}
