import { listed } from "./listed.ts";

/**
 * Names under which people keep keys, passwords and histories, as data. Compared in lower case with one component of a path;
 * `*` stands for any run of characters.
 */

/** Hidden names that are known to hold nothing secret; every other hidden name is refused. */
export const openHiddenNames: readonly string[] = listed(`
    .gitignore, .gitattributes, .gitmodules, .gitkeep, .github, .gitlab-ci.yml, .editorconfig, .dockerignore,
    .prettierrc*, .prettierignore, .eslintrc*, .eslintignore, .stylelintrc*, .babelrc*, .swcrc, .browserslistrc,
    .nvmrc, .node-version, .ruby-version, .python-version, .tool-versions, .clang-format, .clang-tidy,
    .rustfmt.toml, .rubocop.yml, .flake8, .pylintrc, .pre-commit-config.yaml, .markdownlint*, .mocharc*, .nycrc*,
    .c8rc*, .npmignore, .travis.yml, .husky, .changeset, .ci, .env.example, .env.sample, .env.template
  `);

/** Files of credentials, by the last component of a path. A name of source code or prose (`shadow.ts`) is left out, see below. */
export const credentialFiles: readonly string[] = listed(`
    id_rsa*, id_dsa*, id_ecdsa*, id_ed25519*, id_xmss*, identity, authorized_keys*, known_hosts*, ssh_host_*,
    secring*, pubring*, trustdb*, private-keys*, *.gpg, *.asc, *.pgp, *.pem, *.key, *.keys, *.p8, *.p12, *.pfx,
    *.pkcs12, *.ppk, *.jks, *.jceks, *.keystore*, *.keytab, *.kdb, *.kdbx, *.psafe3, *.agilekeychain, *.opvault,
    *.keyring, *.keychain*, *.wallet, wallet.dat, *.ovpn, *.mobileprovision, *.jwk, *.jwks, *.age, keystore,
    truststore*, *.env, env.local, *.env.*, env, environ, environment, dotenv*, *.envrc, shadow, shadow-,
    shadow.*, gshadow, gshadow-, gshadow.*, passwd, passwd-, passwd.*, master.passwd*, sudoers*, opasswd*, sam,
    ntds.dit, krb5*, wpa_supplicant*, chap-secrets, pap-secrets, crypttab*, fstab, ipsec.secrets, *secret*,
    *credential*, *password*, *passwd*, *passphrase*, *apikey*, *api_key*, *api-key*, *access_key*, *access-key*,
    *accesskey*, *private_key*, *private-key*, *privatekey*, *token, *tokens, *token.*, *tokens.*, *htpasswd*,
    *htdigest*, *service-account*, *service_account*, *serviceaccount*, auth.json, vault*, *.vault,
    application_default*, adc.json, cookies*, *_cookies*, kubeconfig*, *.kubeconfig, admin.conf, kubelet.conf,
    *.tfstate*, *.tfvars*, terraform.rc, boto.cfg, cloud-init*, user-data*, *.publishsettings, rclone.conf,
    s3cfg*, wp-config*, database.yml, *netrc*, *npmrc*, *pypirc*, *pgpass*, *my.cnf, pip.conf, nuget.config,
    logins.json*, key3.db, key4.db, cert9.db, login data*, web data*, local state, signons*, formhistory*,
    places.sqlite*, *_history*, *.history, *-history, history
  `);

/** Endings of source code and prose: a file of that kind is about credentials, it is none. */
export const sourceEndings: readonly string[] = listed(`
    c, cc, cpp, cs, css, dart, ex, exs, go, h, hpp, hs, html, java, js, jsx, kt, lua, md, mdx, mjs, cjs, ml, php,
    pl, proto, py, pyi, rb, rs, rst, scala, scss, svelte, swift, ts, tsx, vue, zig
  `);

/** Folders of credentials, wherever they stand in a path; also the folder the client works in. */
export const credentialFolders: readonly string[] = listed(`
    .ssh, .gnupg, .aws, .azure, .kube, .docker, .gcloud, .config, .password-store, .pki, .mozilla, .thunderbird,
    .cert, .certs, .secrets, .vault, .terraform.d, .oci, .bluemix, .minikube, .m2, .gradle, .subversion, .cargo,
    .gem, .electrum, .bitcoin, .putty, .keychain, .purple, .irssi, .weechat, .local, .git, secrets, credentials,
    passwords, keychains, keyrings, kwallet, kwalletd, system-connections, user data, application support,
    appdata, google-chrome, bravesoftware, wireguard, openvpn, letsencrypt, sudoers.d
  `);

/** Places where a run of components tells. */
export const credentialPlaces: readonly (readonly string[])[] = [
  ["etc", "ssl", "private"],
  ["etc", "pki"],
  ["etc", "ssh"],
  ["etc", "kubernetes"],
  ["etc", "rancher"],
  ["etc", "security"],
  ["etc", "vault.d"],
  ["etc", "ppp"],
  ["etc", "ipsec.d"],
  ["etc", "default"],
  ["var", "run", "secrets"],
  ["run", "secrets"],
  ["run", "user"],
  ["run", "credentials"],
  ["var", "lib"],
  ["var", "spool"],
  ["var", "backups"],
  ["var", "db"],
  ["var", "mail"],
  ["library", "cookies"],
  ["library", "safari"],
  ["library", "containers"],
  ["library", "mail"],
  ["snap", "firefox"],
  ["snap", "chromium"],
];

/** Parts of the running system of which these alone are harmless to read. */
export const openSystemFiles: readonly string[] = [
  "/proc/cpuinfo",
  "/proc/meminfo",
  "/proc/loadavg",
  "/proc/uptime",
  "/proc/version",
  "/proc/stat",
  "/proc/filesystems",
];
