import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Template } from '@innkeeper/contract/definition'
import { parseJsonOrUndefined } from '@innkeeper/contract/parse-json'
import { type RecognizedServer, recognizeServer } from '@innkeeper/contract/recognized-server'
import type { VariableValue } from '@innkeeper/contract/variables'
import type { ImportPlan } from '@innkeeper/panel/import/import-plan'
import type { SourceOptions } from '../source.ts'
import { ImportError, isFolder, namesIn, readSource, serverIdOf } from '../source-files.ts'

const templates = fileURLToPath(new URL('../../../../../templates/', import.meta.url))
const maxSettingsBytes = 1_048_576

/**
 * Reads a folder with a Minecraft server, and makes a definition from the bundled template for it.
 * @throws ImportError when the server is not recognized
 */
export async function readFolder({ folder }: SourceOptions): Promise<ImportPlan> {
  if (!(await isFolder(folder))) throw new ImportError(`${folder} is not a folder.`)
  const recognized = recognizeServer(await pathsIn(folder))
  if (!recognized) throw new ImportError(`${folder} has no known Minecraft server: create one from a template instead.`)
  const root = join(folder, recognized.folder)
  const { name: _name, readme: _readme, ...template } = await bundledTemplate(recognized.template)
  const settings = propertiesOf((await readSource(join(root, 'server.properties'), maxSettingsBytes)) ?? '')
  const eula = propertiesOf((await readSource(join(root, 'eula.txt'), maxSettingsBytes)) ?? '').get('eula')
  const values = valuesOf(template.data, settings, eula)
  const data = Object.fromEntries(
    Object.entries(template.data).map(([key, one]) => [
      key,
      values.has(key) ? { ...one, value: values.get(key) } : one,
    ]),
  )
  const port = Number(data.port?.value) || 0
  const notes = [
    `server ${basename(folder)}: was recognized as ${recognized.template}; check its memory and its version of Java`,
    ...(eula === 'true' ? [] : [`server ${basename(folder)}: accept the EULA in its settings before it starts`]),
  ]
  const server = {
    id: serverIdOf('folder', root),
    name: basename(root),
    node: undefined,
    definition: {
      ...template,
      data: { ...data, ...loaderVariable(recognized) },
      run: { ...template.run, command: commandOf(template, recognized) },
    },
    template: recognized.template,
    type: template.type,
    ip: '0.0.0.0',
    port,
    users: [],
    files: root,
  }
  const found = { servers: 1 }
  return {
    source: recognized.template,
    users: [],
    nodes: [],
    templates: [],
    servers: [server],
    clients: [],
    found,
    notes,
  }
}

async function bundledTemplate(name: string): Promise<Template> {
  const text = await readSource(join(templates, name, `${name}.json`))
  const { success, data } = Template.safeParse(parseJsonOrUndefined(text ?? ''))
  if (!success) throw new ImportError(`The template ${name} is missing in this installation.`)
  return data
}

/** The paths that a server can be recognized by. */
async function pathsIn(folder: string): Promise<string[]> {
  const top = await Promise.all(
    (await namesIn(folder)).map(async (name) => ((await isFolder(join(folder, name))) ? `${name}/` : name)),
  )
  const [only, ...others] = top
  if (only?.endsWith('/') && others.length === 0)
    return (await pathsIn(join(folder, only.slice(0, -1)))).map((path) => `${only}${path}`)
  const below = ['config', 'libraries/net/minecraftforge/forge', 'libraries/net/neoforged/neoforge']
  const inner = await Promise.all(
    below.map(async (path) => (await namesIn(join(folder, path))).map((name) => `${path}/${name}`)),
  )
  return [...top, ...inner.flat().flatMap((path) => (path.startsWith('config/') ? path : `${path}/unix_args.txt`))]
}

/** `key=value` lines. */
function propertiesOf(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').map((line) => line.trim())
  return new Map(
    lines.flatMap((line) => {
      const at = line.indexOf('=')
      if (at < 1 || line.startsWith('#')) return []
      return [
        [
          line.slice(0, at).trim(),
          line
            .slice(at + 1)
            .trim()
            .replaceAll('\\:', ':'),
        ] as const,
      ]
    }),
  )
}

/** Variables of our templates by the name of the setting. */
const variableOf: Readonly<Record<string, string>> = {
  'server-port': 'port',
  'server-portv6': 'portv6',
  motd: 'motd',
  'server-name': 'servername',
  'max-players': 'maxplayers',
  difficulty: 'difficulty',
  gamemode: 'gamemode',
  'online-mode': 'onlinemode',
  'level-name': 'world',
}

function valuesOf(
  data: Template['data'],
  settings: ReadonlyMap<string, string>,
  eula: string | undefined,
): ReadonlyMap<string, VariableValue> {
  const values = new Map<string, VariableValue>()
  for (const [setting, text] of settings) {
    const name = Object.hasOwn(variableOf, setting) ? variableOf[setting] : undefined
    const variable = name === undefined || !Object.hasOwn(data, name) ? undefined : data[name]
    if (name === undefined || !variable || text === '') continue
    if (variable.type === 'integer') {
      if (/^\d{1,9}$/.test(text)) values.set(name, Number(text))
    } else if (variable.type === 'boolean') values.set(name, text === 'true')
    else if (!variable.options || variable.options.some(({ value }) => value === text)) values.set(name, text)
  }
  // Never accepted for the operator: only when it was accepted in this folder.
  if (eula === 'true' && Object.hasOwn(data, 'eula')) values.set('eula', true)
  return values
}

/** The template's command with the jar of the folder. */
function commandOf({ run }: Template, { jar }: RecognizedServer): string {
  const command = typeof run.command === 'string' ? run.command : ''
  if (jar === undefined) return command
  const quoted = /[\s"'\\]/.test(jar) ? `"${jar.replace(/["\\]/g, '\\$&')}"` : jar
  return command.replace('-jar server.jar', () => `-jar ${quoted}`)
}

/** The variable that an install sets to the version of the loader. */
function loaderVariable({ template, loader }: RecognizedServer) {
  if (loader === undefined) return {}
  const name = template === 'minecraft-neoforge' ? 'opNeoForgeVersion' : 'opForgeVersion'
  return { [name]: { type: 'string', value: loader, internal: true } }
}
