import { isAbsolute, join, resolve } from 'node:path'
import { findConsoleEncoding, findKnownEncoding } from '@innkeeper/contract/definitions/console-encodings'
import { defaultContainerRoot } from '@innkeeper/contract/definitions/docker'
import { powerActions, type Step } from '@innkeeper/contract/definitions/operations'
import { cronProblem } from '@innkeeper/contract/jobs/cron'
import { limits } from '@innkeeper/contract/text/limits'
import { isSafeKey } from '@innkeeper/contract/text/names'
import type { ImportedServer } from '@innkeeper/panel/import/import-plan'
import { z } from 'zod'
import { getBaseDefinition, getStopTimeout, parseStopCommand } from '../conversions.ts'
import { getServerId } from '../source-files.ts'

const Text = z.string().max(16_384).catch('')
const Flag = z.boolean().catch(false)
const Numeric = z.coerce.number().catch(0)
const List = z.array(z.string().max(4_096)).max(1_000).catch([])

const Docker = z.looseObject({
  image: Text,
  ports: List,
  extraVolumes: List,
  memory: Numeric,
  cpuUsage: Numeric,
  networkMode: Text,
  workingDir: Text,
  env: List,
  labels: List,
  cpusetCpus: Text,
  privileged: Flag,
  devices: List,
})

/** An instance of MCSManager; missing keys have defaults. */
export const Instance = z.looseObject({
  nickname: Text,
  startCommand: Text,
  stopCommand: Text,
  stopTimeout: Numeric,
  cwd: Text,
  ie: Text,
  oe: Text,
  type: Text,
  processType: Text,
  runAs: Text,
  basePort: Numeric,
  enableRcon: Flag,
  endTime: z.unknown().optional(),
  terminalOption: z.looseObject({ pty: Flag }).catch({ pty: false }),
  eventTask: z.looseObject({ autoStart: Flag, autoRestart: Flag }).catch({ autoStart: false, autoRestart: false }),
  java: z.looseObject({ id: Text }).catch({ id: '' }),
  pingConfig: z.looseObject({ port: Numeric }).catch({ port: 0 }),
  docker: z.unknown().optional(),
})
export type Instance = z.output<typeof Instance>

const Action = z.looseObject({ type: Text, payload: z.coerce.string().max(8_192).catch('') })

/** A scheduled task of an instance. */
export const TaskFile = z.looseObject({
  instanceUuid: z.string().max(100),
  name: Text,
  count: z.coerce.number().catch(-1),
  /** 1 is an interval in seconds, 2 and 3 a cron text with seconds. */
  type: z.coerce.number().catch(0),
  time: z.coerce.string().max(200).catch(''),
  action: Text,
  payload: z.coerce.string().max(8_192).catch(''),
  actions: z.array(Action).max(limits.taskSteps).catch([]),
})
export type TaskFile = z.output<typeof TaskFile>

interface Source {
  readonly id: string
  readonly instance: Instance
  readonly tasks: readonly TaskFile[]
  readonly users: ImportedServer['users']
}

/** Folder of the files of instances, and of the daemon, which relative paths refer to. */
interface Folders {
  readonly data: string
  readonly daemon: string
}

type Note = (text: string) => void

export function getServer({ id, instance, tasks, users }: Source, folders: Folders, note: Note): ImportedServer {
  const { nickname, cwd, basePort, pingConfig, type } = instance
  const files =
    cwd === '' || cwd === '.' ? join(folders.data, id) : isAbsolute(cwd) ? cwd : resolve(folders.daemon, cwd)
  const port =
    [basePort, pingConfig.port].find(
      (candidate) => Number.isInteger(candidate) && candidate > 0 && candidate <= 65_535,
    ) ?? 0
  for (const [isUsed, feature] of unsupportedFeatures(instance)) if (isUsed) note(`${feature} is not supported`)
  const converted = getTasks(tasks, note)
  const category = type.startsWith('minecraft/java')
    ? 'minecraft-java'
    : type.startsWith('minecraft/bedrock')
      ? 'minecraft-bedrock'
      : 'game'
  return {
    id: getServerId('mcsmanager', id),
    name: nickname || id,
    node: undefined,
    definition: {
      ...getBaseDefinition(category, nickname, port),
      run: {
        ...getRun(id, instance, note),
        autostart: instance.eventTask.autoStart,
        autorestart: instance.eventTask.autoRestart,
        autorecover: instance.eventTask.autoRestart,
      },
      ...getEnvironment(instance, note),
      ...(Object.keys(converted).length > 0 ? { tasks: converted } : {}),
    },
    type: category,
    ip: '0.0.0.0',
    port,
    users,
    files,
  }
}

/** Of the output; that of the input is carried over if it is the same. */
const findEncoding = ({ oe }: Pick<Instance, 'oe'>) => findKnownEncoding({ encoding: oe })

function unsupportedFeatures({
  enableRcon,
  ie,
  oe,
  runAs,
  endTime,
  java,
}: Instance): readonly (readonly [boolean, string])[] {
  return [
    [enableRcon, 'RCON'],
    [findConsoleEncoding({ encoding: oe }) === 'unknown', `the encoding ${oe.slice(0, 40)}`],
    [
      findKnownEncoding({ encoding: ie }) !== findEncoding({ oe }),
      'an encoding of the input other than that of the output',
    ],
    [runAs !== '', 'the system user of the instance'],
    [typeof endTime === 'number' && endTime > 0, 'the expiry'],
    [java.id !== '', 'the managed Java'],
  ]
}

function getRun(id: string, instance: Instance, note: Note) {
  const { stopCommand, docker } = instance
  const stops = stopCommand.split('\n').filter((line) => line.trim() !== '')
  if (stops.length > 1) note('only the last of several stop commands is carried over')
  const container = instance.processType === 'docker' ? Docker.catch(Docker.parse({})).parse(docker ?? {}) : undefined
  return {
    command: getCommand(id, instance, container?.workingDir ?? '', note),
    ...parseStopCommand(stops.at(-1) ?? '^C'),
    ...getStopTimeout(instance.stopTimeout),
    ...(findEncoding(instance) && { encoding: findEncoding(instance) }),
    environmentVars: Object.fromEntries(getPairs(container?.env ?? [])),
  }
}

/** Names and values of `NAME=value`. */
function getPairs(texts: readonly string[]): readonly (readonly [string, string])[] {
  return texts
    .map((text) => [text.split('=')[0] ?? '', text.slice(text.indexOf('=') + 1)] as const)
    .filter(([name]) => name !== '' && isSafeKey(name))
}

/** Replaces the placeholders of a start command. */
function getCommand(id: string, instance: Instance, workingDir: string, note: Note): string {
  const { startCommand, nickname, basePort, processType } = instance
  const root = processType === 'docker' ? defaultContainerRoot : '${rootDir}'
  const values: Readonly<Record<string, string>> = {
    mcsm_workspace: root,
    mcsm_cwd: root,
    mcsm_uuid: id,
    mcsm_instance_id: id,
    mcsm_instance_name: nickname,
    mcsm_instance_base_port: String(basePort),
    mcsm_java: 'java',
    quotes: '\\"',
  }
  const command = startCommand.replace(/\{(mcsm_\w{1,50}|quotes)\}/g, (whole, name: string) => {
    const port = /^mcsm_port(\d{1,3})$/.exec(name)?.[1]
    if (port !== undefined) return String(basePort + Number(port))
    if (Object.hasOwn(values, name)) return values[name] ?? ''
    note(`the placeholder ${whole} of the start command is not supported`)
    return whole
  })
  const isMoved = workingDir.startsWith('/') && workingDir.length > 1
  return isMoved ? command.replaceAll(workingDir, defaultContainerRoot) : command
}

function getEnvironment({ processType, terminalOption, docker }: Instance, note: Note) {
  if (processType !== 'docker') {
    const environment = { type: terminalOption.pty ? 'tty' : 'standard' }
    return { environment, supportedEnvironments: [environment] }
  }
  const { image, ports, extraVolumes, memory, cpuUsage, networkMode, privileged, devices, labels, cpusetCpus } =
    Docker.catch(Docker.parse({})).parse(docker ?? {})
  if (privileged || devices.length > 0) note('a privileged container or its devices are not carried over')
  const volumes = extraVolumes
    .map((pair) => pair.split('|'))
    .filter(([host, inside]) => host && inside && isSafeKey(host))
  const environment = {
    type: 'docker',
    image,
    ...(['bridge', 'host', 'none'].includes(networkMode) ? { networkMode } : { networkMode: 'bridge' }),
    portBindings: ports.map((port) => (port.split(':').length === 2 ? `0.0.0.0:${port}` : port)),
    bindings: Object.fromEntries(volumes.map(([host = '', inside = '']) => [host, inside])),
    ...(labels.length > 0 ? { labels: Object.fromEntries(getPairs(labels)) } : {}),
    ...(cpusetCpus === '' ? {} : { resources: { CpusetCpus: cpusetCpus } }),
    limits: { memory: memory > 0 ? memory : undefined, cpu: cpuUsage > 0 ? cpuUsage : undefined },
  }
  return { environment, supportedEnvironments: [environment] }
}

function getTasks(tasks: readonly TaskFile[], note: Note): Record<string, unknown> {
  return Object.fromEntries(
    tasks.flatMap((task, at) => {
      const name = task.name.trim().slice(0, limits.taskNameMax) || `Task ${at + 1}`
      const cron = task.type === 1 ? `@every ${task.time}s` : task.time
      const actions = task.actions.length > 0 ? task.actions : [{ type: task.action, payload: task.payload }]
      const steps = actions.map(findStep)
      if (task.count !== -1 || cronProblem(cron) !== undefined || steps.includes(undefined)) {
        note(`task ${name}: its time, its number of runs or one of its actions does not exist here`)
        return []
      }
      return [[`task-${at + 1}`, { name, cronSchedule: cron, operations: steps }]]
    }),
  )
}

function findStep({ type, payload }: { readonly type: string; readonly payload: string }): Step | undefined {
  if (type === 'delay') return { type: 'sleep', duration: `${Math.max(0, Number(payload) || 0)}ms` }
  if (type === 'command') return payload === '' ? undefined : { type: 'stdin', command: payload }
  const action = powerActions.find((action) => action === type)
  return action && { type: 'power', action }
}
