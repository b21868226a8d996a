import type { LaunchOptions } from '../processes/run.ts'

/** The user and group that a process runs as; nobody else on the machine has them. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** What a process is put into before its program begins. */
export interface SandboxSpec {
  /** Files of control groups that take the process that writes to them. */
  readonly groups: readonly string[]
  readonly owner: Owner | undefined
  /** The path of `setpriv`, where the system has one that can do what we need. */
  readonly setpriv: string | undefined
  /** The path of `unshare`, where a run can have a mount namespace with a `/proc` that hides processes of other users. */
  readonly unshare: string | undefined
  /** Whether we may take away what nobody should get back. */
  readonly isRoot: boolean
}

const shell = '/bin/sh'
/** Where the steps of the way look for their own programs. */
const trustedPath = '/usr/sbin:/usr/bin:/sbin:/bin'
const entryName = 'INNKEEPER_ENV_'

/**
 * Runs with our rights, and so with nothing of the server's in its environment, which could make the loader run code of
 * the server. It joins the groups, mounts a `/proc` of its own where it has a mount namespace, gives
 * away the terminal or pipes that it was given, and goes on. What cannot be done
 * ends the start: a server runs confined or not at all.
 */
const joinScript = `
owner=$1 hide=$2 count=$3
shift 3
while [ "$count" -gt 0 ]; do
  echo 0 > "$1" || { echo "the control group cannot be joined" >&2; exit 125; }
  shift
  count=$((count - 1))
done
if [ -n "$hide" ]; then
  mount -t proc -o nosuid,nodev,noexec,hidepid=2 proc /proc || exit 125
fi
if [ -n "$owner" ]; then
  for end in 0 1 2; do
    if [ -p /proc/self/fd/$end ] || [ -t $end ]; then chown "$owner" /proc/self/fd/$end || exit 125; fi
  done
fi
exec "$@"
`

/** Runs with the rights of the server: only here it gets its environment, which must not stand in an argument list. */
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
 * What must be started so that the program of the plan runs in a cell, by the same process. Variables that a shell cannot
 * export are left out: their only other way would be an argument list, which everybody may read.
 */
export function sandboxed(
  plan: LaunchOptions,
  { groups, owner, setpriv, unshare, isRoot }: SandboxSpec,
): LaunchOptions {
  if (groups.length === 0 && setpriv === undefined) return plan
  const variables = Object.entries(plan.env).filter(([name]) => isExportable(name))
  const join = [
    // Mounts of the machine still reach the server, so that a disk can be taken away; those of the server reach nobody.
    ...(unshare === undefined ? [] : [unshare, '--mount', '--propagation', 'slave', '--']),
    shell,
    '-c',
    joinScript,
    'sh',
    owner ? `${owner.uid}:${owner.gid}` : '',
    unshare === undefined ? '' : 'hide',
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

/** The options of `setpriv` that take all privileges away, for good. */
export function privileges(owner: Owner | undefined, isRoot: boolean): string[] {
  return [
    ...(owner ? [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'] : []),
    '--inh-caps=-all',
    ...(isRoot ? ['--bounding-set=-all'] : []),
    '--no-new-privs',
  ]
}
