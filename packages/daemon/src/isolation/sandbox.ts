import type { Owner } from '../fs/owner.ts'
import type { LaunchOptions } from '../processes/run.ts'

/** The sandbox that a process enters before its program starts. */
export interface SandboxSpec {
  /** `cgroup.procs` files; a process that writes to one joins that group. */
  readonly groups: readonly string[]
  readonly owner: Owner | undefined
  /** The path of `setpriv`, if the host has one with the required options. */
  readonly setpriv: string | undefined
  /** The path of `unshare`, if runs can have a mount namespace with a `/proc` that hides processes of other users. */
  readonly unshare: string | undefined
  /** Whether the daemon is root and can drop privileges. */
  readonly isRoot: boolean
  /** The temporary folders of the run's own, if runs can have some. */
  readonly temporary?: TemporaryFolders | undefined
}

/** Temporary folders in memory that only one run sees, with its own shared memory, semaphores and message queues. */
export interface TemporaryFolders {
  /** The real path of the data directory, which stays visible where it is below one of them. */
  readonly dataDir: string
  /** The folder in one of them that Innkeeper runs from, which stays visible too; otherwise empty. */
  readonly appDir: string
  /** The size of each. */
  readonly sizeMiB: number
}

/** Folders in which all users of a system may create files. A link leads to another one of them. */
export const temporaryFolders = ['/tmp', '/var/tmp', '/var/crash', '/dev/shm', '/run/shm', '/run/lock', '/run/screen']

const shell = '/bin/sh'
/** PATH of the sandbox scripts. */
const trustedPath = '/usr/sbin:/usr/bin:/sbin:/bin'
const entryName = 'INNKEEPER_ENV_'

/**
 * Runs with the daemon's privileges, so its environment has nothing of the server's, which could make the dynamic
 * loader run the server's code. Joins the control groups, mounts a private `/proc` and private temporary folders, puts a
 * copy of a server in the place of its files and starts its loopback, changes the owner of its terminal or pipes, and
 * continues. A failure ends the start: a server runs sandboxed or not at all.
 */
const joinScript = `
owner=$1 hide=$2 copy=$3 server=$4 data=$5 app=$6 size=$7 cwd=$8 count=$9
shift 9
while [ "$count" -gt 0 ]; do
  echo 0 > "$1" || { echo "the control group cannot be joined" >&2; exit 125; }
  shift
  count=$((count - 1))
done
if [ -n "$hide" ]; then
  mount -t proc -o nosuid,nodev,noexec,hidepid=2 proc /proc || exit 125
fi
own_folder() {
  if [ ! -d "$1" ] || [ -h "$1" ] || [ "$data" = "$1" ]; then return 0; fi
  case "$data" in "$1"/*) exec 9< "$data" || return 1 ;; esac
  case "$app" in "$1"/*) exec 8< "$app" || return 1 ;; esac
  mount -t tmpfs -o "mode=1777,size=$size,nr_inodes=65536,nosuid,nodev" none "$1" || return 1
  case "$app" in
    "$1"/*)
      (umask 022 && mkdir -p "$app") && mount --no-canonicalize --rbind /proc/self/fd/8 "$app" || return 1
      exec 8<&-
      ;;
  esac
  case "$data" in
    "$1"/*)
      (umask 066 && mkdir -p "$data") && mount --no-canonicalize --rbind /proc/self/fd/9 "$data" || return 1
      exec 9<&-
      ;;
  esac
}
if [ -n "$size" ]; then
  for place in ${temporaryFolders.join(' ')}; do own_folder "$place" || exit 125; done
  if [ -d /dev/mqueue ]; then mount -t mqueue -o nosuid,nodev,noexec none /dev/mqueue || exit 125; fi
  cd -- "$cwd" || exit 125
fi
if [ -n "$copy" ]; then
  own_folder /run || exit 125
  mount --bind "$copy" "$server" || exit 125
  ip link set lo up || exit 125
  cd -- "$cwd" || exit 125
fi
if [ -n "$owner" ]; then
  for end in 0 1 2; do
    if [ -p /proc/self/fd/$end ] || [ -t $end ]; then chown "$owner" /proc/self/fd/$end || exit 125; fi
  done
fi
exec "$@"
`

/** Runs with the server's privileges: only here it gets its environment, which must not be in an argument list. */
const enterScript = `
INNKEEPER_COUNT=$1
shift
unset PATH PWD OLDPWD SHLVL _
while [ "$INNKEEPER_COUNT" -gt 0 ]; do
  INNKEEPER_COUNT=$((INNKEEPER_COUNT - 1))
  eval "export \\"\\$${entryName}$INNKEEPER_COUNT\\"; unset ${entryName}$INNKEEPER_COUNT"
done
unset INNKEEPER_COUNT
exec "$@"
`

/** Whether a shell can export a variable of this name. */
export const isExportable = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)

/**
 * Returns options that run the program inside a sandbox, in the same process. Variables that a shell cannot export are
 * dropped: they could only be passed in an argument list, which everyone can read.
 */
export function sandboxed(
  plan: LaunchOptions,
  { groups, owner, setpriv, unshare, isRoot, temporary }: SandboxSpec,
): LaunchOptions {
  const { copy } = plan
  if (copy && (!owner || setpriv === undefined || unshare === undefined || !temporary))
    throw new Error('a copy of a server cannot be isolated on this node')
  if (groups.length === 0 && setpriv === undefined) return plan
  const variables = Object.entries(plan.env).filter(([name]) => isExportable(name))
  // Mounts propagate from the host to the server, so that a disk can be unmounted, but not back.
  const spaces = ['--mount', '--propagation', 'slave', ...(temporary ? ['--ipc'] : []), ...(copy ? ['--net'] : [])]
  const join = [
    ...(unshare === undefined ? [] : [unshare, ...spaces, '--']),
    shell,
    '-c',
    joinScript,
    'sh',
    owner ? `${owner.uid}:${owner.gid}` : '',
    unshare === undefined ? '' : 'hide',
    ...(copy ? [copy.directory, copy.serverDirectory] : ['', '']),
    ...(temporary ? [temporary.dataDir, temporary.appDir, `${temporary.sizeMiB}m`] : ['', '', '']),
    plan.cwd,
    String(groups.length),
    ...groups,
  ]
  const drop = setpriv === undefined ? [] : [setpriv, ...privileges(owner, isRoot), '--']
  const enter = [shell, '-c', enterScript, 'sh', String(variables.length)]
  const [file = shell, ...args] = [...join, ...drop, ...enter, plan.file, ...plan.args]
  return {
    ...plan,
    file,
    args,
    env: {
      PATH: trustedPath,
      ...Object.fromEntries(variables.map(([name, text], index) => [`${entryName}${index}`, `${name}=${text}`])),
    },
  }
}

/** The options of `setpriv` that drop all privileges permanently. */
export function privileges(owner: Owner | undefined, isRoot: boolean): string[] {
  return [
    ...(owner ? [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'] : []),
    '--inh-caps=-all',
    ...(isRoot ? ['--bounding-set=-all'] : []),
    '--no-new-privs',
  ]
}
