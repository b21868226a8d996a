import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Template } from '@innkeeper/contract/definitions/definition'
import { getDefinition } from '@innkeeper/contract/servers/existing-server'
import { recognizeServer } from '@innkeeper/contract/servers/recognized-server'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import { emptyPlan, type ImportPlan } from '@innkeeper/panel/import/import-plan'
import { getServerId, ImportError, isFolder, namesIn, readSource, type SourceOptions } from '../source-files.ts'

const templates = fileURLToPath(new URL('../../../../../templates/', import.meta.url))
const maxSettingsBytes = 1_048_576

/**
 * Reads a folder with a Minecraft server, and makes a definition from the bundled template for it.
 * @throws ImportError when the server is not recognized
 */
export async function readFolder({ folder, archive }: SourceOptions): Promise<ImportPlan> {
  if (!(await isFolder(folder))) throw new ImportError(`${folder} is not a folder.`)
  const recognized = recognizeServer(await pathsIn(folder))
  if (!recognized)
    throw new ImportError(`${archive ?? folder} has no known Minecraft server: create one from a template instead.`)
  const root = join(folder, recognized.folder)
  const settings = (await readSource(join(root, 'server.properties'), maxSettingsBytes)) ?? ''
  const eula = (await readSource(join(root, 'eula.txt'), maxSettingsBytes)) ?? ''
  const { name: _name, readme: _readme, ...template } = await bundledTemplate(recognized.template)
  const definition = getDefinition(template, recognized, { settings, eula })
  const port = Number(definition.data.port?.value) || 0
  const notes = [
    `server ${basename(folder)}: was recognized as ${recognized.template}; check its memory and its version of Java`,
    ...(definition.data.eula === undefined || definition.data.eula.value === true
      ? []
      : [`server ${basename(folder)}: accept the EULA in its settings before it starts`]),
  ]
  const server = {
    id: getServerId('folder', archive ?? root),
    name: basename(root),
    node: undefined,
    definition,
    template: recognized.template,
    type: template.type,
    ip: '0.0.0.0',
    port,
    users: [],
    files: root,
  }
  return { ...emptyPlan, source: recognized.template, servers: [server], found: { servers: 1 }, notes }
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
