import { Template } from '../definitions/definition.ts'
import type { PromptType } from '../definitions/prompts.ts'
import { validate } from '../definitions/validate.ts'
import { type Conversion, type ConversionNote, getSlug, sortNotes } from '../templates/template-conversion.ts'
import { isSafeKey } from '../text/names.ts'
import { parseJsonOrUndefined } from '../text/parse-json.ts'
import { getFiles } from './config-files.ts'
import { Egg, type EggVariable } from './egg.ts'
import { getEnvironment, getImages, getPortVariables, imageVariable } from './images.ts'
import { hostAddress, isReserved, withoutCarriageReturns } from './placeholders.ts'
import { getCommand, getReady, getStartCommands, parseStop, startVariable } from './run.ts'
import { getVariable } from './variables.ts'

/**
 * Converts an egg to a template that behaves as in the panel that the egg is from: its container runs the entry point
 * of the image with the start command, its install script runs in a container of its own. The most important notes are
 * first.
 * @throws Refusal when the egg or the result is not valid
 */
export function convertEgg(json: unknown): Conversion {
  const egg = validate(Egg, json)
  const notes: ConversionNote[] = []
  const note = (one: ConversionNote) => notes.push(one)
  const drop = (where: string) => note({ kind: 'dropped', where })
  const deniedFiles = getDeniedFiles(egg.file_denylist)
  const variables = (egg.variables ?? []).filter(
    ({ env_variable }) => isSafeKey(env_variable) && !isReserved(env_variable),
  )
  const [commands, images] = [getStartCommands(egg), getImages(egg)]
  if (commands.length === 0) note({ kind: 'noCommand' })
  if (images.length === 0) note({ kind: 'noImage' })
  const image = images.length > 1 ? '${image}' : (images[0]?.image ?? '')
  const environment = getEnvironment(image, getPortVariables(variables))
  const choices = {
    ...(images.length > 1 ? { image: imageVariable(images) } : {}),
    ...(commands.length > 1 ? { startup: startVariable(commands) } : {}),
  }
  const name = getSlug(egg.name) || 'egg'
  const pre = convertFiles(egg.config?.files, note)
  const prompts = promptsOfFeatures(
    egg.features,
    variables.map(({ env_variable }) => env_variable),
    drop,
  )
  const definition = {
    name,
    display: egg.name,
    type: getCategory(egg),
    data: {
      ...standardVariables,
      ...(JSON.stringify(pre).includes(`\${${hostAddress}}`) ? { [hostAddress]: hostAddressVariable } : {}),
      ...choices,
      ...Object.fromEntries(variables.map((variable) => [variable.env_variable, convertVariable(variable, note)])),
      // An egg cannot replace what selects the image, the limit or the ports.
      ...standardVariables,
      ...choices,
    },
    install: getInstall(egg, images[0]?.image ?? ''),
    run: {
      command: getCommand(commands, 'startup'),
      ...parseStop(egg.config?.stop ?? ''),
      ...getReady(egg, note),
      pre,
      environmentVars: getEnvironmentVars(variables),
    },
    ...(prompts.length > 0 && { prompts }),
    ...(deniedFiles.length > 0 && { deniedFiles }),
    environment,
    supportedEnvironments: [environment],
    readme: [`# ${egg.name}`, egg.description, egg.author && `Converted from an egg by ${egg.author}.`]
      .filter(Boolean)
      .join('\n\n'),
  }
  const template = validate(Template, definition)
  return { template: { ...template, name }, notes: sortNotes(notes) }
}

/** Variables that the other panel has for every server. */
const standardVariables = {
  ip: { type: 'string', display: 'IP address', value: '0.0.0.0', required: true, userEdit: false },
  port: { type: 'integer', display: 'Port', value: 25565, required: true, userEdit: false },
  memory: { type: 'integer', display: 'Memory (MiB)', value: 1024, required: true, userEdit: false },
} as const

/** The default address of the node in the default network of Docker. */
const hostAddressVariable = {
  type: 'string',
  display: 'Address of the node in its containers',
  value: '172.17.0.1',
  required: true,
  userEdit: false,
} as const

/** What the other panel sets itself comes last: an egg cannot replace it. */
const standardEnvironment = {
  TZ: '${core:timezone}',
  SERVER_IP: '${ip}',
  SERVER_PORT: '${port}',
  SERVER_MEMORY: '${memory}',
  P_SERVER_UUID: '${serverId}',
  P_SERVER_LOCATION: '',
  P_SERVER_ALLOCATION_LIMIT: '0',
} as const

/** Wings writes names in upper case; start commands also refer to them as they are in the egg. */
function getEnvironmentVars(variables: readonly EggVariable[]): Readonly<Record<string, string>> {
  const named = variables.flatMap(({ env_variable: name }) =>
    [name, name.toUpperCase()].map((variable) => [variable, `\${${name}}`]),
  )
  return { ...Object.fromEntries(named), ...standardEnvironment }
}

function convertVariable(variable: EggVariable, note: (note: ConversionNote) => void) {
  const prefix = `variables.${variable.env_variable}.rules.`
  const name = variable.name || variable.env_variable
  return getVariable(variable, (where) =>
    note({ kind: 'variableRule', variable: name, rule: where.startsWith(prefix) ? where.slice(prefix.length) : where }),
  )
}

function convertFiles(files: unknown, note: (note: ConversionNote) => void) {
  const paths = typeof files === 'object' && files !== null ? Object.keys(files) : []
  return getFiles(files, (where) => {
    const place = where.replace(/^config\.files\./, '')
    const file = paths.filter((path) => place === path || place.startsWith(`${path}.`)).toSorted(byLength)[0] ?? place
    const key = place.slice(file.length + 1)
    note(key === '' ? { kind: 'configFile', file } : { kind: 'configValue', file, key })
  })
}

const byLength = (a: string, b: string): number => b.length - a.length

/** Minecraft: Java has its own category, because such servers can be asked for their players. */
function getCategory(egg: Egg): string {
  const commands = getStartCommands(egg).map(({ command }) => command)
  const isJava = /\bjava\b/.test(commands.join(' '))
  return isJava && isMinecraft(egg) ? 'minecraft-java' : 'game'
}

function isMinecraft({ name, description, features, tags }: Egg): boolean {
  return /minecraft|bukkit|\beula\b/i.test([name, description, JSON.stringify([features, tags])].join(' '))
}

/** As in the schema of definitions. */
const maxPatterns = 200
const maxLength = 500

/** The patterns of files that users may not use: a list, or a text with JSON or with one pattern in a line. */
export function getDeniedFiles(input: unknown): string[] {
  const list = typeof input === 'string' ? (parseJsonOrUndefined(input) ?? input.split(/\r?\n/)) : input
  if (!Array.isArray(list)) return []
  return list
    .filter((pattern) => typeof pattern === 'string' && pattern.trim() !== '' && pattern.length <= maxLength)
    .slice(0, maxPatterns)
}

/** The features of an egg by their names without case and separators: those of Pelican are named after classes. */
const types: Readonly<Record<string, PromptType>> = {
  eula: 'eula',
  minecrafteula: 'eula',
  javaversion: 'javaVersion',
  gsltoken: 'gameServerToken',
  pidlimit: 'processLimit',
  steamdiskspace: 'diskSpace',
}

/** The variable that the other panel changes with the answer. */
const tokenVariable = 'STEAM_ACC'

/** Converts the features of an egg, which are questions to users, to prompts. */
function promptsOfFeatures(
  features: unknown,
  variables: readonly string[],
  drop: (where: string) => void,
): { type: PromptType; variable?: string }[] {
  const names = Array.isArray(features) ? features.filter((name) => typeof name === 'string') : []
  return [...new Set(names)].slice(0, 20).flatMap((name) => {
    const key = name.toLowerCase().replace(/[^a-z]/g, '')
    const type = Object.hasOwn(types, key) ? types[key] : undefined
    if (type === undefined) drop(`features.${name.slice(0, 100)}`)
    if (type === undefined) return []
    return [
      { type, ...(type === 'gameServerToken' && variables.includes(tokenVariable) && { variable: tokenVariable }) },
    ]
  })
}

/** The install script runs in a container of its own image, as root, with the folder of the server at `/mnt/server`. */
function getInstall({ scripts }: Egg, imageOfServer: string) {
  const { script = '', container = '', entrypoint = '' } = scripts?.installation ?? {}
  if (script.trim() === '') return []
  const image = container.trim().replace(/^~/, '').trim() || imageOfServer
  const shell = entrypoint.trim() || (/alpine/.test(image) ? 'ash' : 'bash')
  return [{ type: 'dockerrun', image, entrypoint: shell, script: withoutCarriageReturns(script), mount: '/mnt/server' }]
}
