import { z } from 'zod/mini'
import { Template } from './definition.ts'
import { filesOf } from './egg-files.ts'
import { shellText, variablesAsCode } from './egg-placeholders.ts'
import { isSafeKey } from './names.ts'
import { parseJsonOrUndefined } from './parse-json.ts'
import { patternProblem } from './pattern.ts'
import { type Conversion, type ConversionNote, slugOf } from './template-conversion.ts'
import { validate } from './validate.ts'

const Text = z.pipe(
  z.nullish(z.union([z.string(), z.number(), z.boolean()])),
  z.transform((input) => (input === null || input === undefined ? '' : String(input))),
)

/** JSON, or text with JSON in it. */
const Nested = z.pipe(
  z.optional(z.unknown()),
  z.transform((input) => (typeof input === 'string' ? parseJsonOrUndefined(input) : input)),
)

/** A list; in YAML an empty one is written as an empty map. */
const list = <T>(item: z.ZodMiniType<T>, max: number) =>
  z.pipe(
    z.transform((input) => (isEmptyMap(input) ? [] : input)),
    z.array(item).check(z.maxLength(max)),
  )

const EggVariable = z.looseObject({
  name: Text,
  description: Text,
  env_variable: z.string().check(z.regex(/^\w{1,191}$/)),
  default_value: Text,
  user_viewable: z.pipe(z.optional(z.unknown()), z.transform(Boolean)),
  user_editable: z.pipe(z.optional(z.unknown()), z.transform(Boolean)),
  /** Validation rules of Laravel, as text or as a list. */
  rules: z.nullish(
    z.union([
      z.pipe(
        z.string(),
        z.transform((text) => text.split('|')),
      ),
      list(z.string(), 100),
    ]),
  ),
})
type EggVariable = z.output<typeof EggVariable>

/** An egg of Pterodactyl (PTDL_v1, PTDL_v2) or Pelican (PLCN_v1 to PLCN_v3). */
export const Egg = z.looseObject({
  name: z.string().check(z.minLength(1), z.maxLength(191)),
  author: Text,
  description: Text,
  image: Text,
  images: z.nullish(z.array(z.string()).check(z.maxLength(100))),
  docker_images: z.nullish(z.union([z.record(z.string(), z.string()), z.array(z.string()).check(z.maxLength(100))])),
  startup: Text,
  startup_commands: z.nullish(z.record(z.string(), z.string())),
  features: z.optional(z.unknown()),
  file_denylist: z.optional(z.unknown()),
  config: z.nullish(z.looseObject({ files: Nested, startup: Nested, stop: Text })),
  scripts: z.nullish(
    z.looseObject({
      installation: z.nullish(z.looseObject({ script: Text, container: Text, entrypoint: Text })),
    }),
  ),
  variables: z.nullish(list(EggVariable, 1_000)),
})
type Egg = z.output<typeof Egg>

const Startup = z.looseObject({ done: z.nullish(z.union([z.string(), z.array(z.string())])) })

/** Whether the JSON is an egg. */
export function isEgg(json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return false
  const { meta } = json as { meta?: unknown }
  const version = typeof meta === 'object' && meta !== null ? (meta as { version?: unknown }).version : undefined
  return typeof version === 'string' && /^(PTDL|PLCN)_v\d$/.test(version)
}

/**
 * Converts an egg to a template: it runs in a container with the image of the egg, and its ports are published.
 * @throws Refusal when the egg or the result is not valid
 */
export function convertEgg(json: unknown): Conversion {
  const egg = validate(Egg, json)
  const notes: ConversionNote[] = []
  const drop = (where: string) => notes.push({ kind: 'dropped', where })
  for (const part of ['features', 'file_denylist'] as const) if (!isEmpty(egg[part])) drop(part)
  const variables = (egg.variables ?? []).filter(({ env_variable }) => isSafeKey(env_variable))
  const command = startupOf(egg)
  if (command === '') notes.push({ kind: 'noCommand' })
  const environments = imagesOf(egg).map(environmentOf)
  if (environments.length === 0) notes.push({ kind: 'noEnvironment' })
  const name = slugOf(egg.name) || 'egg'
  const definition = {
    name,
    display: egg.name,
    type: /\bjava\b/.test(command) && /minecraft|jar/i.test(`${egg.name} ${command}`) ? 'minecraft-java' : 'game',
    data: {
      ...standardVariables,
      ...Object.fromEntries(variables.map((variable) => [variable.env_variable, variableOf(variable, drop)])),
    },
    install: installOf(egg, drop),
    run: {
      command: shellText(command),
      ...stopOf(egg.config?.stop ?? '', drop),
      ...readyOf(egg, drop),
      pre: filesOf(egg.config?.files, drop),
      environmentVars: {
        ...standardEnvironment,
        ...Object.fromEntries(variables.map(({ env_variable }) => [env_variable, `\${${env_variable}}`])),
      },
    },
    environment: environments[0] ?? { type: 'standard' },
    supportedEnvironments: environments.length > 0 ? environments : [{ type: 'standard' }],
    readme: [`# ${egg.name}`, egg.description, egg.author && `Converted from an egg by ${egg.author}.`]
      .filter(Boolean)
      .join('\n\n'),
  }
  const template = validate(Template, definition)
  return { template: { ...template, name }, notes }
}

/** Variables that the other panel has for every server. */
const standardVariables = {
  ip: { type: 'string', display: 'IP address', value: '0.0.0.0', required: true, userEdit: false },
  port: { type: 'integer', display: 'Port', value: 25565, required: true, userEdit: false },
  memory: { type: 'integer', display: 'Memory (MiB)', value: 1024, required: true, userEdit: false },
} as const

const standardEnvironment = {
  SERVER_IP: '${ip}',
  SERVER_PORT: '${port}',
  SERVER_MEMORY: '${memory}',
  P_SERVER_UUID: '${serverId}',
} as const

function startupOf({ startup, startup_commands }: Egg): string {
  return (startup || Object.values(startup_commands ?? {})[0]) ?? ''
}

function imagesOf({ docker_images, images, image }: Egg): string[] {
  const named = docker_images ? Object.values(docker_images) : (images ?? [image])
  // `~` in front means: do not pull.
  const plain = named.map((name) => name.trim().replace(/^~/, '')).filter((name) => name !== '')
  return [...new Set(plain)].slice(0, 100)
}

/** A container that publishes the port as the other panel does. */
const environmentOf = (image: string) => ({
  type: 'docker',
  image,
  networkMode: 'bridge',
  portBindings: ['${ip}:${port}:${port}/tcp', '${ip}:${port}:${port}/udp'],
})

/** Rules without a counterpart that only limit text. */
const typeRules = [
  'required',
  'nullable',
  'sometimes',
  'string',
  'boolean',
  'bool',
  'integer',
  'int',
  'numeric',
  'present',
]

function variableOf(variable: EggVariable, drop: (where: string) => void) {
  const { name, description, env_variable, default_value, user_viewable, user_editable } = variable
  const rules = (variable.rules ?? []).map((rule) => rule.trim()).filter(Boolean)
  const has = (...names: string[]) => names.some((rule) => rules.includes(rule))
  const isInteger = has('integer', 'int', 'numeric')
  const argument = (rule: string) => rules.find((candidate) => candidate.startsWith(`${rule}:`))?.slice(rule.length + 1)
  const range = argument('between')?.split(',')
  const options = argument('in')?.split(',')
  const bound = (text: string | undefined) =>
    isInteger && text && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
  const [min, max] = [bound(argument('min') ?? range?.[0]), bound(argument('max') ?? range?.[1])]
  for (const rule of rules) {
    const isKnown =
      typeRules.includes(rule) || rule.startsWith('in:') || (isInteger && /^(min|max|between):/.test(rule))
    if (!isKnown) drop(`variables.${env_variable}.rules.${rule.slice(0, 100)}`)
  }
  return {
    ...(options
      ? { type: 'option', options: options.slice(0, 1_000).map((value) => ({ value, display: value })) }
      : {
          type:
            has('boolean', 'bool') && /^(true|false|)$/.test(default_value)
              ? 'boolean'
              : isInteger
                ? 'integer'
                : 'string',
        }),
    display: name || env_variable,
    desc: description,
    value: default_value,
    required: has('required'),
    userEdit: user_editable && user_viewable,
    internal: !user_viewable,
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
  }
}

const signals: Readonly<Record<string, number>> = { C: 2, INT: 2, TERM: 15, ABRT: 6, KILL: 9, QUIT: 3, HUP: 1 }

/** A leading `^` means a signal; without anything, the container is stopped as Docker does. */
function stopOf(text: string, drop: (where: string) => void) {
  const stop = text.trim()
  if (stop === '') return { stopCode: 15 }
  if (!stop.startsWith('^')) return { stop }
  const name = stop.slice(1).toUpperCase().replace(/^\^/, '').replace(/^SIG/, '')
  const code = Object.hasOwn(signals, name) ? signals[name] : undefined
  if (code === undefined) drop('config.stop')
  return { stopCode: code ?? 15 }
}

function readyOf({ config }: Egg, drop: (where: string) => void) {
  const done = Startup.safeParse(config?.startup).data?.done ?? []
  const texts = (typeof done === 'string' ? [done] : done).filter((text) => text !== '')
  const patterns = texts.map((text) => (text.startsWith('regex:') ? text.slice('regex:'.length) : literal(text)))
  if (patterns.length === 0) return {}
  const readyPattern =
    patterns.length === 1 ? (patterns[0] ?? '') : patterns.map((pattern) => `(?:${pattern})`).join('|')
  if (patternProblem(readyPattern) === undefined) return { readyPattern }
  drop('config.startup.done')
  return {}
}

/** A pattern that matches a text as it is. */
const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const shells = ['bash', 'sh', 'ash', 'dash'] as const

/** The install script runs in the container of the server, and not in one of its own. */
function installOf({ scripts }: Egg, drop: (where: string) => void) {
  const { script = '', container = '', entrypoint = '' } = scripts?.installation ?? {}
  if (script.trim() === '') return []
  if (container !== '') drop('scripts.installation.container')
  const named = shells.find((shell) => entrypoint.split('/').at(-1) === shell)
  if (entrypoint !== '' && !named) drop('scripts.installation.entrypoint')
  const text = variablesAsCode(script.replaceAll('\r\n', '\n').replaceAll('/mnt/server', '.'))
  return [
    { type: 'writefile', target: '.install.sh', text },
    { type: 'command', commands: [`${named === 'bash' ? 'bash' : 'sh'} .install.sh`], stopOnError: true },
  ]
}

const isEmptyMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === '[]') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
