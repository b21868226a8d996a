import { posix } from 'node:path'
import type { ContainerConfig, Mount } from '@innkeeper/contract/container'
import type { PortBinding } from '@innkeeper/contract/port-binding'
import { Refusal } from '@innkeeper/contract/refusals'
import type { ContainerCreateOptions } from 'dockerode'
import { defaultMaxProcesses } from '../../isolation/control-groups.ts'
import type { LaunchOptions } from '../../processes/run.ts'

/** Docker's log of a container, from which output is recovered after a restart of the daemon. */
const maxLogFileBytes = 16_777_216
const maxLogFiles = 4

interface CreateRequest {
  readonly name: string
  readonly plan: LaunchOptions
  readonly spec: ContainerConfig
  readonly rootDir: string
  /** The owner of the server's directory. */
  readonly user: { readonly uid: number; readonly gid: number }
  readonly labels: Readonly<Record<string, string>>
  /** Whether the engine provides an init process that reaps and forwards signals. */
  readonly hasInit: boolean
}

/** Returns the engine's options for a container with minimal privileges. */
export function createOptions(request: CreateRequest): ContainerCreateOptions {
  const { name, plan, spec, rootDir, user, labels, hasInit } = request
  const { memory, cpu, processes } = plan.limits ?? {}
  const { resources } = spec
  const bytes = memory === undefined ? undefined : Math.max(6, memory) * 1024 ** 2
  return {
    name,
    Image: spec.image,
    Entrypoint: [plan.file, ...plan.args],
    Cmd: [],
    WorkingDir: pathInContainer(rootDir, plan.cwd, spec.root),
    Env: Object.entries(plan.env).map(([key, value]) => `${key}=${value}`),
    User: `${user.uid}:${user.gid}`,
    // Innkeeper's labels come last: containers are found by them.
    Labels: { ...spec.labels, ...labels },
    Tty: true,
    OpenStdin: true,
    StdinOnce: false,
    ExposedPorts: Object.fromEntries(spec.ports.map(({ inside, protocol }) => [`${inside}/${protocol}`, {}])),
    HostConfig: {
      ...resources,
      AutoRemove: false,
      NetworkMode: spec.network,
      PortBindings: portBindingsOf(spec.ports),
      Mounts: [{ source: rootDir, target: spec.root }, ...spec.mounts].map(({ source, target, isReadOnly }: Mount) => ({
        Type: 'bind' as const,
        Source: source,
        Target: target,
        ...(isReadOnly && { ReadOnly: true }),
      })),
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

/** Translates a directory of the server to its path in the container. */
function pathInContainer(rootDir: string, cwd: string, root: string): string {
  const below = posix.relative(rootDir, cwd)
  if (below === '..' || below.startsWith('../')) throw new Refusal('ErrMissingDirectory', { path: cwd })
  return posix.join(root, below)
}

function portBindingsOf(ports: readonly PortBinding[]) {
  const byInside = Map.groupBy(ports, ({ inside, protocol }) => `${inside}/${protocol}`)
  const outsideOf = ({ host, outside }: PortBinding) => ({ HostIp: host, HostPort: String(outside) })
  return Object.fromEntries([...byInside].map(([inside, bindings]) => [inside, bindings.map(outsideOf)]))
}
