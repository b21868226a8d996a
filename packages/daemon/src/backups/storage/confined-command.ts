import type { Owner } from '../../fs/owner.ts'
import type { Confinement } from '../../isolation/isolation.ts'
import { privileges } from '../../isolation/sandbox.ts'

/** The files of a server that a program works on. */
export interface ServerMount {
  /** Path of the directory: a descriptor, so that it cannot be exchanged. */
  readonly directory: string
  /** `write` also runs the program as this user. */
  readonly access: 'read' | 'write'
  readonly owner?: Owner | undefined
}

/** What a program needs for a repository on another machine. */
export interface RemoteMounts {
  /** Read-only: how it is reached. */
  readonly access: string
  /** The cache of restic; only the daemon's user can write to it. */
  readonly cache: string
}

export interface ConfinedOptions {
  readonly confinement: Exclude<Confinement, { type: 'impossible' }>
  /** Absolute path of restic. */
  readonly program: string
  readonly args: readonly string[]
  /** The folder with the repository of the node; without it, restic cannot see it. */
  readonly repository: string | undefined
  /** For a repository on another machine: the network of the host, and these directories. */
  readonly remote?: RemoteMounts | undefined
  /** An empty directory for the root of the jail. */
  readonly jail: string
  readonly mount?: ServerMount | undefined
}

export interface ConfinedCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
}

/** The paths as the program sees them. */
export function confinedPaths(
  { type }: Confinement,
  { repository, remote }: { readonly repository: string; readonly remote?: RemoteMounts | undefined },
): { readonly repository: string } & RemoteMounts {
  if (type === 'jail') return { repository: '/repository', access: '/access', cache: '/cache' }
  return { repository, access: remote?.access ?? '', cache: remote?.cache ?? '' }
}

/**
 * Runs with the daemon's privileges in mount and network namespaces of its own. The program only sees the system's
 * programs (read-only), the repository and the files of one server, so a symbolic link of a server cannot lead out, even
 * one that is created during the run. `/proc` is not mounted, so the key in the environment cannot be read. It has no network,
 * except for a repository on another machine: then that of the host, with the files that resolve names and verify
 * certificates, and the users that OpenSSH wants to exist.
 */
const script = `
set -e
jail=$1 repository=$2 program=$3 access=$4 remote=$5 cache=$6 owner=$7
shift 7
mount -t tmpfs -o mode=755,nosuid,nodev none "$jail"
mkdir "$jail/usr" "$jail/repository" "$jail/files" "$jail/tmp"
chmod 1777 "$jail/tmp"
if [ -n "$access" ]; then
  mount -c --bind . "$jail/files"
  if [ "$access" = read ]; then mode=ro; else mode=rw; fi
  mount -o "remount,bind,$mode,nosuid,nodev,noexec" "$jail/files"
fi
cd "$jail"
mount --bind /usr usr
mount -o remount,bind,ro,nosuid,nodev usr
for name in bin sbin lib lib32 lib64 libx32; do
  if [ -L "/$name" ]; then ln -s "$(readlink "/$name")" "$name"
  elif [ -d "/$name" ]; then
    mkdir "$name"
    mount --bind "/$name" "$name"
    mount -o remount,bind,ro,nosuid,nodev "$name"
  fi
done
: > restic
mount --bind "$program" restic
if [ -n "$repository" ]; then
  mount --bind "$repository" repository
  if [ "$access" = write ]; then mount -o remount,bind,ro,nosuid,nodev,noexec repository; fi
fi
if [ -n "$remote" ]; then
  mkdir access cache dev etc
  mount --bind "$remote" access
  mount -o remount,bind,ro,nosuid,nodev access
  if [ "$access" != write ]; then mount --bind "$cache" cache; fi
  : > dev/null
  mount --bind /dev/null dev/null
  for name in resolv.conf hosts nsswitch.conf gai.conf; do
    if [ -f "/etc/$name" ]; then cat "/etc/$name" > "etc/$name"; fi
  done
  for name in ssl/certs pki/tls/certs pki/ca-trust/extracted; do
    if [ -d "/etc/$name" ]; then
      mkdir -p "etc/$name"
      mount --bind "/etc/$name" "etc/$name"
      mount -o remount,bind,ro,nosuid,nodev "etc/$name"
    fi
  done
  echo "root:x:0:0::/tmp:/bin/sh" > etc/passwd
  if [ -n "$owner" ]; then echo "server:x:$owner::/tmp:/bin/sh" >> etc/passwd; fi
fi
exec chroot . /bin/sh -c 'cd /files && exec "$@"' sh "$@"
`

/** Reading all files is the only privilege that is left; it also opens the repository for the user of a server. */
const reader = 'dac_read_search'

/** The command that runs restic confined to one server, in the directory of its files. */
export function confinedCommand(options: ConfinedOptions): ConfinedCommand {
  const { confinement, program, args, repository = '', remote, jail, mount } = options
  if (confinement.type === 'none') return { file: program, args, cwd: mount?.directory ?? '/' }
  const owner = mount?.access === 'write' ? mount.owner : undefined
  const drop = [
    confinement.setpriv,
    ...privileges(owner, false).filter((option) => !option.startsWith('--inh-caps')),
    `--bounding-set=-all,+${reader}`,
    `--inh-caps=-all${owner ? `,+${reader}` : ''}`,
    ...(owner ? [`--ambient-caps=-all,+${reader}`] : []),
    // Without the daemon no process waits for the result.
    ...['--pdeathsig', 'KILL'],
    '--',
  ]
  const spaces = ['--mount', '--propagation', 'private', ...(remote ? [] : ['--net']), '--ipc', '--']
  return {
    file: confinement.unshare,
    args: [
      ...spaces,
      '/bin/sh',
      '-c',
      script,
      'sh',
      ...[jail, repository, program, mount?.access ?? ''],
      ...[remote?.access ?? '', remote?.cache ?? '', owner ? `${owner.uid}:${owner.gid}` : ''],
      ...drop,
      '/restic',
      ...args,
    ],
    // The only path to it that is still valid in another namespace.
    cwd: mount?.directory ?? '/',
  }
}
