import { type Command, forEachChild, parse, type SyntaxNode } from "unbash";
import type { CommandRisk } from "./command-risk.ts";
import { listed } from "./listed.ts";

/**
 * What known commands would do, as data: the first row that fits a command names its risk. A row without `when` fits whatever
 * follows the name; `when` is matched against the rest of the command, its words joined by spaces.
 */
interface CommandClass {
  readonly risk: CommandRisk;
  readonly names: readonly string[];
  readonly when?: RegExp;
}

export const commandClasses: readonly CommandClass[] = [
  {
    risk: "infrastructure",
    names: listed(`
    terraform, tofu, terragrunt, kubectl, oc, helm, helmfile, kustomize, k9s, eksctl, kops, ansible, ansible-
    playbook, ansible-pull, pulumi, cdk, cdktf, aws, gcloud, gsutil, az, doctl, fly, flyctl, vercel, netlify,
    heroku, serverless, sls, sam, nomad, consul, vault, packer, vagrant, wrangler, railway, argocd, flux,
    crossplane, salt, puppet, chef-client, knife
  `),
  },
  {
    risk: "infrastructure",
    names: ["docker", "podman"],
    when: /^(?:push|login|stack|swarm|service|node|secret|config)\b/,
  },
  {
    risk: "privilege",
    names: listed(`
    sudo, su, doas, pkexec, run0, runuser, setpriv, newgrp, visudo, passwd, chpasswd
  `),
  },
  {
    risk: "service_control",
    names: ["systemctl"],
    when: /(?:^| )(?:start|stop|restart|try-restart|reload|reload-or-restart|enable|disable|reenable|mask|unmask|link|preset|preset-all|kill|clean|freeze|thaw|set-property|bind|mount-image|edit|revert|isolate|daemon-reload|daemon-reexec|reset-failed|default|rescue|emergency|halt|poweroff|reboot|kexec|exit|switch-root|suspend|hibernate|hybrid-sleep|set-environment|unset-environment|import-environment|set-default|add-wants|add-requires|log-level|service-log-level|cancel)(?: |$)/,
  },
  {
    risk: "service_control",
    names: listed(`
    service, launchctl, initctl, rc-service, rc-update, supervisorctl, pm2, brew-services, invoke-rc.d, update-
    rc.d, chkconfig, shutdown, reboot, halt, poweroff, telinit, init, kill, pkill, killall, xkill, skill, renice,
    sysctl, modprobe, insmod, rmmod, iptables, ip6tables, nft, ufw, firewall-cmd, ifconfig, hostnamectl,
    timedatectl, localectl, loginctl, nmcli, netplan, swapon, swapoff, sshd, nginx, apachectl, cron
  `),
  },
  {
    risk: "service_control",
    names: ["docker", "podman", "docker-compose", "nerdctl"],
    when: /^(?:compose )?(?:run|start|stop|restart|kill|rm|rmi|exec|up|down|pause|unpause|create|build|pull|cp|prune|system|volume|network|image|container|commit|load|import|tag|update|rename|attach)\b/,
  },
  {
    risk: "package_install",
    names: ["npm", "pnpm", "yarn", "bun", "corepack"],
    when: /^(?:(?:-\S+ )*(?:i|in|ins|inst|install|isntall|add|ci|clean-install|install-test|it|cit|un|uninstall|remove|rm|r|unlink|link|ln|up|update|upgrade|dedupe|ddp|prune|rebuild|rb|audit fix|publish|unpublish|deprecate|version|init|create|dlx|global|set|cache|login|adduser|enable|prepare)(?: |$)|$)/,
  },
  {
    risk: "package_install",
    names: listed(`
    pip, pip2, pip3, pipx, uv, poetry, conda, mamba, micromamba, pdm, rye, hatch, easy_install
  `),
    when: /(?:^| )(?:install|uninstall|add|remove|update|upgrade|sync|lock|create|env|inject|self|run|download|wheel|config|publish)(?: |$)/,
  },
  {
    risk: "package_install",
    names: listed(`
    apt, apt-get, aptitude, dpkg, dpkg-reconfigure, dnf, yum, rpm, zypper, pacman, yay, apk, emerge, brew, port,
    snap, flatpak, nix-env, nix, guix, choco, winget, scoop, pkg, pkg_add, opkg, make-install, rustup, nvm, fnm,
    volta, asdf, mise, sdk, rbenv, pyenv, gem, bundle, composer, cpan, cpanm, luarocks, npx, pnpx, bunx, uvx
  `),
  },
  {
    risk: "package_install",
    names: ["cargo"],
    when: /^(?:\+\S+ )?(?:install|uninstall|add|remove|rm|update|publish|yank|login|owner)\b/,
  },
  { risk: "package_install", names: ["go"], when: /^(?:install|get|mod)\b/ },
  {
    risk: "package_install",
    names: ["make", "ninja", "cmake", "meson"],
    when: /(?:^| )(?:install|uninstall|--install)(?: |$)/,
  },
  {
    risk: "git_change",
    names: ["git"],
    when: /(?:^| )(?:push|reset|clean|checkout|switch|restore|rebase|commit|merge|cherry-pick|revert|pull|fetch|clone|init|add|rm|mv|am|apply|stash|tag|branch|filter-branch|filter-repo|gc|prune|reflog|update-ref|update-index|replace|notes|worktree|submodule|subtree|remote|config|bisect|lfs|sparse-checkout|maintenance|repack|pack-refs|fast-import|read-tree|write-tree|symbolic-ref|hook|credential|send-email|svn|p4)(?: |$)/,
  },
  { risk: "git_change", names: ["gh", "glab", "hub", "hg", "svn", "jj", "bzr", "fossil"] },
  {
    risk: "file_mutation",
    names: listed(`
    rm, rmdir, mv, cp, mkdir, touch, ln, link, unlink, chmod, chown, chgrp, chattr, setfacl, setfattr, truncate,
    dd, tee, install, shred, srm, trash, mkfifo, mknod, mktemp, patch, rsync, tar, cpio, unzip, zip, 7z, gzip,
    gunzip, bzip2, xz, zstd, split, csplit, sponge, rename, mmv, mkfs, fdisk, parted, mount, umount, losetup,
    lvremove, vgremove, wipefs, blkdiscard, crontab, at, ed, ex, vi, vim, nvim, nano, emacs, apply_patch,
    fallocate, sync, del, erase, rd, move, copy, ren, format, mkswap, useradd, userdel, usermod, groupadd,
    groupdel, ldconfig, update-alternatives, ssh-keygen, defaults
  `),
  },
  { risk: "file_mutation", names: ["sed", "gsed", "perl", "ruby"], when: /(?:^| )(?:-[a-zA-Z]*i|--in-place)/ },
  { risk: "file_mutation", names: ["awk", "gawk"], when: /(?:^| )(?:-i ?inplace|--include)/ },
  {
    risk: "file_mutation",
    names: ["find", "fd", "fdfind"],
    when: /(?:^| )-{1,2}(?:delete|exec|execdir|ok|okdir|fprint|fprintf|fprint0|fls|exec-batch|x|X)(?: |$)/,
  },
  { risk: "file_mutation", names: ["sort", "uniq", "xxd"], when: /(?:^| )(?:-o|--output|-r)/ },
  { risk: "file_mutation", names: ["mkfs.ext4", "mkfs.xfs", "mkfs.vfat", "mkfs.btrfs"] },
  { risk: "file_mutation", names: ["date", "hwclock", "ntpdate"], when: /(?:^| )(?:-[a-zA-Z]*s|--set|\d{8})/ },
  {
    risk: "file_mutation",
    names: ["prettier", "biome", "eslint", "black", "ruff", "gofmt", "rustfmt"],
    when: /(?:^| )(?:--?w(?:rite)?|--fix|format)(?: |$)/,
  },
  {
    risk: "network",
    names: listed(`
    curl, wget, http, https, ssh, scp, sftp, ftp, nc, ncat, netcat, socat, telnet, ping, dig, nslookup, host,
    traceroute, nmap, aria2c, lynx, w3m, mail, sendmail, mosh, autossh, rclone, s3cmd, mysql, psql, mongosh,
    mongo, redis-cli, sqlite3, openssl, gpg
  `),
  },
  {
    risk: "credential",
    names: listed(`
    env, printenv, set, export, security, secret-tool, pass, op, bw, history, keyctl, getent, ssh-add
  `),
    when: /^(?!.*=\S* \S)/,
  },
  { risk: "unbounded_log", names: ["journalctl"], when: /(?:^| )(?:-[a-zA-Z]*f|--follow)(?: |$)|^$/ },
  { risk: "unbounded_log", names: ["tail"], when: /(?:^| )(?:-[a-zA-Z0-9]*[fF]|--follow\S*|--retry)(?: |$)/ },
  {
    risk: "unbounded_log",
    names: ["docker", "podman", "docker-compose", "stern"],
    when: /^(?:compose )?(?:logs?|events|stats)\b/,
  },
  {
    risk: "unbounded_log",
    names: listed(`
    dmesg, watch, lnav, multitail, yes, top, htop, less, more
  `),
  },
  {
    risk: "program_launch",
    names: listed(`
    bash, sh, zsh, dash, ksh, fish, csh, tcsh, pwsh, powershell, cmd, python, python2, python3, node, deno, tsx,
    ts-node, perl, ruby, php, lua, Rscript, java, osascript, eval, exec, source, ., xargs, parallel, nohup,
    setsid, timeout, nice, ionice, time, command, builtin, env, chroot, nsenter, unshare, strace, gdb, script,
    expect, make, just, rake, gradle, mvn, cargo, go, npm, pnpm, yarn, bun, tmux, screen, alias, trap, busybox,
    toybox, stdbuf, flock, coproc, awk, gawk, sed
  `),
  },
];

/** Commands that run what follows them: the rest is looked at as a command as well. */
const launchers =
  /^(?:sudo|doas|env|nohup|setsid|timeout|nice|ionice|time|command|builtin|exec|xargs|watch|stdbuf|flock|run0|busybox|strace)$/;
const shells = /^(?:ba|z|da|k|fi|c|tc)?sh$|^eval$/;
const deepest = 4;

/** The risks of all known commands in a shell text, whatever its form; empty where none is known. Never throws. */
export function commandRisksOf(text: string, depth = 0): readonly CommandRisk[] {
  if (text.length > 20_000) return ["unreadable"];
  const risks: CommandRisk[] = [];
  const visit = (node: SyntaxNode): void => {
    switch (node.type) {
      case "Command":
        risks.push(...risksOfCommand(node, depth));
        break;
      case "Redirect":
        risks.push("redirect");
        break;
      case "HereDoc":
      case "HereString":
        risks.push("here_document");
        break;
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "SimpleExpansion":
      case "ParameterExpansion":
      case "ArithmeticExpansion":
        risks.push("substitution");
        break;
      case "Pipeline":
        if (node.commands.length > 1) risks.push("pipe");
        break;
      case "AndOr":
        risks.push("several_commands");
        break;
      default:
        break;
    }
    forEachChild(node, visit);
  };
  visit(parse(text));
  return risks;
}

function risksOfCommand(command: Command, depth: number): readonly CommandRisk[] {
  const words = command.suffix.flatMap((part) => (part.type === "Word" ? [part.value] : []));
  return risksOfWords([command.name?.value ?? "", ...words], depth);
}

function risksOfWords(words: readonly string[], depth: number): readonly CommandRisk[] {
  const [written = "", ...rest] = words;
  // "/bin/rm" is rm, and so is "\rm".
  const name = written.replace(/^.*\//s, "");
  const line = rest.join(" ");
  const row = commandClasses.find(
    (entry) => entry.names.includes(name) && (entry.when === undefined || entry.when.test(line)),
  );
  const risks: CommandRisk[] = row === undefined ? [] : [row.risk];
  if (depth >= deepest) return risks;
  if (launchers.test(name)) {
    const inner = rest.findIndex((word) => !/^(?:-|\d+[smhd]?$|[A-Za-z_]\w*=)/.test(word));
    if (inner >= 0) risks.push(...risksOfWords(rest.slice(inner), depth + 1));
  }
  if (shells.test(name)) {
    const script = name === "eval" ? line : rest.find((_, index) => index > 0 && /^-\w*c$/.test(rest[index - 1] ?? ""));
    if (script !== undefined) risks.push(...commandRisksOf(script, depth + 1));
  }
  for (const word of rest) if (isCredentialLike(word)) risks.push("credential");
  return risks;
}

/** Credentials in the arguments of any command; the exact check of a routed path is `checkPath`. */
function isCredentialLike(word: string): boolean {
  return /(?:^|[/~=])(?:\.ssh|\.gnupg|\.aws|\.kube|\.netrc|\.npmrc|\.pypirc|\.env|\.docker|\.azure|\.pgpass|\.git-credentials|\.password-store|\.mozilla|\.bash_history|\.zsh_history)(?:\/|$)|\/etc\/g?shadow|\/proc\/[^/]+\/environ|(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)$|(?:^|\/)\.env\.[\w.]+$/i.test(
    word,
  );
}

/** Whether a name is that of a command which the table knows. */
export function isKnownCommand(name: string): boolean {
  return commandClasses.some((row) => row.names.includes(name));
}
