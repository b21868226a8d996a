import { posix } from 'node:path'
import type { ContainerConfig, Mount } from '@innkeeper/contract/definitions/container'
import type { PortBinding } from '@innkeeper/contract/definitions/port-binding'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ContainerCreateOptions } from 'dockerode'
import type { Owner } from '../../fs/owner.ts'
import { defaultMaxProcesses } from '../../isolation/control-groups.ts'
import type { LaunchOptions } from '../../processes/run.ts'

/** Docker's log of a container, from which output is recovered after a restart of the daemon. */
const maxLogFileBytes = 16_777_216
const maxLogFiles = 4

/**
 * What the user of an image needs to prepare its folders and become another user. Nobody else gets them: a program
 * without root has no use of them.
 */
const imageUserCapabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'SETGID', 'SETUID'] as const

/** What package managers, `chown`, `useradd` and `su` need. None reaches beyond the container and its mounts. */
const scriptCapabilities = [...imageUserCapabilities, 'AUDIT_WRITE', 'FSETID', 'SETPCAP', 'SYS_CHROOT'] as const

/** The folder of a script in its container. */
const scriptFolder = '/mnt/install'
export const scriptName = 'install.sh'

/** Memory of a script on a server without a limit, and at least; MiB. */
const scriptMemory = { default: 4096, least: 1024 } as const

/** What containers of every kind are created with. */
interface CommonRequest {
  readonly name: string
  readonly plan: LaunchOptions
  readonly rootDir: string
  /** The owner of the server's directory. */
  readonly user: Owner
  readonly labels: Readonly<Record<string, string>>
  /** Whether the engine provides an init process that reaps and forwards signals. */
  readonly hasInit: boolean
}

interface ServerRequest extends CommonRequest {
  readonly spec: ContainerConfig
  /** The real paths of the folders of `spec`. */
  readonly folders?: readonly Mount[]
}

/** A script that runs as root of its own container. */
export interface ScriptSpec {
  readonly image: string
  readonly network: string
  /** The program that runs it, with its arguments. */
  readonly shell: readonly string[]
  readonly text: string
  /** The place of the server's folder. */
  readonly mount: string
}

/** Returns the engine's options for the container of a server, with minimal privileges. */
export function createOptions(request: ServerRequest): ContainerCreateOptions {
  const { plan, spec, rootDir, user, labels, folders = [] } = request
  const limits = spec.commandAs === 'variable' ? withOverhead(plan.limits) : plan.limits
  const common = commonOptions({ ...request, plan: { ...plan, ...(limits && { limits }) } }, spec.resources)
  return {
    ...common,
    Image: spec.image,
    ...(plan.usesEntryPoint
      ? plan.args.length > 0 && { Cmd: [...plan.args] }
      : { Entrypoint: [plan.file, ...plan.args], Cmd: [] }),
    WorkingDir: pathInContainer(rootDir, plan.cwd, spec.root),
    ...(!spec.usesImageUser && { User: `${user.uid}:${user.gid}` }),
    // Innkeeper's labels come last: containers are found by them.
    Labels: { ...spec.labels, ...labels },
    ExposedPorts: Object.fromEntries(spec.ports.map(({ inside, protocol }) => [`${inside}/${protocol}`, {}])),
    HostConfig: {
      ...spec.resources,
      ...common.HostConfig,
      NetworkMode: spec.network,
      PortBindings: getPortBindings(spec.ports),
      Mounts: [{ source: rootDir, target: spec.root }, ...folders, ...spec.mounts].map(bindMount),
      ...(spec.isRootReadOnly && { ReadonlyRootfs: true }),
      ...(Object.keys(spec.tmpfs).length > 0 && { Tmpfs: { ...spec.tmpfs } }),
      ...(spec.usesImageUser && { CapAdd: [...imageUserCapabilities] }),
    },
  }
}

/** Returns the engine's options for the container of a script, whose file is in `folder` on the host. */
export function scriptOptions(request: CommonRequest, script: ScriptSpec, folder: string): ContainerCreateOptions {
  const { plan, rootDir, labels } = request
  const { memory = scriptMemory.default } = plan.limits ?? {}
  const limits = { ...plan.limits, memory: Math.max(memory, scriptMemory.least) }
  const common = commonOptions({ ...request, plan: { ...plan, limits } }, {})
  return {
    ...common,
    Image: script.image,
    Entrypoint: [...script.shell, `${scriptFolder}/${scriptName}`],
    Cmd: [],
    WorkingDir: script.mount,
    User: '0:0',
    Labels: labels,
    HostConfig: {
      ...common.HostConfig,
      NetworkMode: script.network,
      Mounts: [
        bindMount({ source: rootDir, target: script.mount }),
        bindMount({ source: folder, target: scriptFolder, isReadOnly: true }),
      ],
      CapAdd: [...scriptCapabilities],
    },
  }
}

/**
 * Start commands for images with `STARTUP` give the whole memory of the server to Java's heap, which is not all that Java
 * needs. The other panels add the same shares to the limit.
 */
function withOverhead(limits: LaunchOptions['limits']): LaunchOptions['limits'] {
  const memory = limits?.memory
  if (memory === undefined) return limits
  const share = memory <= 2048 ? 1.15 : memory <= 4096 ? 1.1 : 1.05
  return { ...limits, memory: Math.round(memory * share) }
}

function commonOptions(
  { name, plan, hasInit }: CommonRequest,
  resources: ContainerConfig['resources'],
): ContainerCreateOptions & Required<Pick<ContainerCreateOptions, 'HostConfig'>> {
  const { memory, cpu, processes } = plan.limits ?? {}
  const bytes = memory === undefined ? undefined : Math.max(6, memory) * 1024 ** 2
  return {
    name,
    Env: Object.entries(plan.env).map(([key, value]) => `${key}=${value}`),
    Tty: true,
    OpenStdin: true,
    StdinOnce: false,
    HostConfig: {
      AutoRemove: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ...(hasInit && { Init: true }),
      ...(bytes !== undefined && { Memory: bytes, MemorySwap: bytes }),
      ...(cpu !== undefined && { NanoCpus: Math.max(10_000_000, Math.round(cpu * 10_000_000)) }),
      PidsLimit: Math.max(1, Math.round(processes ?? (Number(resources.PidsLimit) || defaultMaxProcesses))),
      LogConfig: {
        Type: 'json-file',
        Config: { 'max-size': String(maxLogFileBytes), 'max-file': String(maxLogFiles) },
      },
    },
  }
}

const bindMount = ({ source, target, isReadOnly }: Mount) => ({
  Type: 'bind' as const,
  Source: source,
  Target: target,
  ...(isReadOnly && { ReadOnly: true }),
})

/** Translates a directory of the server to its path in the container. */
function pathInContainer(rootDir: string, cwd: string, root: string): string {
  const below = posix.relative(rootDir, cwd)
  if (below === '..' || below.startsWith('../')) throw new Refusal('ErrMissingDirectory', { path: cwd })
  return posix.join(root, below)
}

function getPortBindings(ports: readonly PortBinding[]) {
  const byInside = Map.groupBy(ports, ({ inside, protocol }) => `${inside}/${protocol}`)
  const getOutside = ({ host, outside }: PortBinding) => ({ HostIp: host, HostPort: String(outside) })
  return Object.fromEntries([...byInside].map(([inside, bindings]) => [inside, bindings.map(getOutside)]))
}
