import ipaddr from "ipaddr.js";

/** Why an address must not be asked; null where it may. */
export type AddressRule = (address: string) => string | null;

/** Public addresses at which clouds answer their own machines alone, beside those in the ranges refused anyway. */
const metadataAddresses: ReadonlySet<string> = new Set(["168.63.129.16"]);

const ranges: Readonly<Record<string, string>> = {
  loopback: "a loopback address",
  private: "a private address",
  uniqueLocal: "a private address",
  linkLocal: "a link-local address",
  carrierGradeNat: "an address behind a carrier's NAT",
  multicast: "a multicast address",
  broadcast: "a broadcast address",
  unspecified: "the unspecified address",
  ipv4Mapped: "an IPv4 address written as IPv6",
  rfc6145: "an IPv4 address written as IPv6",
  rfc6052: "a NAT64 address",
  "6to4": "a 6to4 address",
  teredo: "a Teredo address",
  deprecatedSiteLocal: "a site-local address",
};

/**
 * Refuses every address that is not plainly a public one of the Internet: whatever range has a purpose of its own, and every
 * IPv6 form that stands for an IPv4 address, whichever address that is.
 */
export const publicAddressesOnly: AddressRule = (address) => {
  if (!ipaddr.isValid(address) || address.includes("%")) return "no plain address";
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range !== "unicast") return ranges[range] ?? "an address with a special purpose";
  if (metadataAddresses.has(parsed.toString())) return "a cloud's metadata address";
  if (parsed.kind() === "ipv4") return null;
  const bytes = parsed.toByteArray();
  // Only 2000::/3 is given out; ::a.b.c.d and the like lie outside of it.
  if (((bytes[0] ?? 0) & 0xe0) !== 0x20) return "an address with a special purpose";
  return isIsatap(bytes) ? "an ISATAP address" : null;
};

/** ISATAP hides an IPv4 address behind 0000:5efe or 0200:5efe in any prefix. */
function isIsatap(bytes: readonly number[]): boolean {
  return ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}

/** True for text that is an IP address itself, in brackets or not. */
export function isAddress(host: string): boolean {
  return ipaddr.isValid(bareHost(host));
}

/** A URL's host without the brackets of IPv6. */
export function bareHost(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}
