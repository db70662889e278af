import { describe, expect, it } from "vitest";
import { publicAddressesOnly } from "../../../src/adapter/web/address.ts";

describe("addresses that may be asked", () => {
  it.each([
    "8.8.8.8",
    "1.1.1.1",
    "93.184.216.34",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "192.167.255.255",
    "169.253.0.1",
    "223.255.255.254",
    "2606:4700:4700::1111",
    "2a00:1450:4001:81b::200e",
    "2400:cb00::1",
  ])("%s", (address) => {
    expect(publicAddressesOnly(address)).toBeNull();
  });
});

describe("addresses that are refused", () => {
  it.each([
    // This machine and its network.
    "127.0.0.1",
    "127.0.0.2",
    "127.255.255.254",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.255.255",
    "169.254.0.1",
    "169.254.169.254",
    "169.254.170.2",
    // Carrier NAT, with Alibaba's metadata; Azure's and Oracle's metadata.
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "168.63.129.16",
    "192.0.0.192",
    // Documentation, tests, multicast, reserved, broadcast, anycast relays.
    "192.0.0.1",
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "198.18.0.1",
    "198.19.255.255",
    "192.88.99.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.175.48.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    // IPv6 of this machine and its network.
    "::",
    "::1",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "fc00::1",
    "fd00:ec2::254",
    "fdff::1",
    "ff02::1",
    "ff0e::1",
    // IPv4 in IPv6: mapped, compatible, translated, NAT64 of both kinds, 6to4, Teredo, ISATAP.
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:8.8.8.8",
    "::ffff:169.254.169.254",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::808:808",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "2002:808:808::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001::1",
    "2a00:1450::5efe:7f00:1",
    "2a00:1450::200:5efe:127.0.0.1",
    // Special purposes of IPv6.
    "2001:db8::1",
    "3fff::1",
    "100::1",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2620:4f:8000::1",
    "5f00::1",
    "4000::1",
    // No plain addresses.
    "fe80::1%eth0",
    "::1%lo",
    "",
    "localhost",
    "127.1.1.1.1",
    "[::1]",
  ])("%s", (address) => {
    expect(publicAddressesOnly(address)).toMatch(/address/);
  });

  // A resolver may give an address in any form that a socket takes.
  it.each(["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.0.0.1", "017700000001", "127.0.1", "0"])(
    "%s, however it is written",
    (address) => {
      expect(publicAddressesOnly(address)).toMatch(/address/);
    },
  );
});
