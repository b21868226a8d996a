import { Template } from '../definition.ts'
import { isSafeKey } from '../names.ts'
import { type Conversion, type ConversionNote, slugOf } from '../template-conversion.ts'
import { validate } from '../validate.ts'
import { filesOf } from './config-files.ts'
import { Egg } from './egg.ts'
import { promptsOfFeatures } from './features.ts'
import { environmentOf, imagesOf } from './images.ts'
import { installOf } from './install.ts'
import { shellText } from './placeholders.ts'
import { readyOf, startupOf, stopOf } from './run.ts'
import { variableOf } from './variables.ts'

/**
 * Converts an egg to a template: it runs in a container with the image of the egg, and its ports are published.
 * @throws Refusal when the egg or the result is not valid
 */
export function convertEgg(json: unknown): Conversion {
  const egg = validate(Egg, json)
  const notes: ConversionNote[] = []
  const drop = (where: string) => notes.push({ kind: 'dropped', where })
  if (!isEmpty(egg.file_denylist)) drop('file_denylist')
  const variables = (egg.variables ?? []).filter(({ env_variable }) => isSafeKey(env_variable))
  const command = startupOf(egg)
  if (command === '') notes.push({ kind: 'noCommand' })
  const environments = imagesOf(egg).map(environmentOf)
  if (environments.length === 0) notes.push({ kind: 'noEnvironment' })
  const name = slugOf(egg.name) || 'egg'
  const prompts = promptsOfFeatures(
    egg.features,
    variables.map(({ env_variable }) => env_variable),
    drop,
  )
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
    ...(prompts.length > 0 && { prompts }),
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

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === '[]') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
