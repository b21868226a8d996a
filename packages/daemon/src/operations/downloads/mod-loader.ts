import { limits } from '@innkeeper/contract/text/limits'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import { z } from 'zod'
import { requireJson } from '../../downloads/fetch-json.ts'
import { formatPath, getName, parsePath, parsePattern, type SafePath } from '../../files/path/safe-path.ts'
import { commandError } from '../actions/command.ts'
import type { StepContext } from '../context/step-context.ts'
import { forgeInstaller, neoForgeInstaller } from './forge.ts'
import { downloadTo, notFoundAt } from './remote-file.ts'

/** The mod loader of a mod pack. */
interface Loader {
  readonly name: string
  readonly minecraft: string
  readonly version: string
  /** Fabric only. */
  readonly installer?: string
}

const serverJar = parsePath('server.jar')
const starterUrl = new URL('https://github.com/neoforged/ServerStarterJar/releases/latest/download/server.jar')
const fabric = 'https://meta.fabricmc.net/v2/versions'

/**
 * Installs the mod loader of an extracted pack: with its own installer, else according to `variables.txt`, else
 * `manifest.json`.
 */
export async function installLoader(java: string, context: StepContext): Promise<void> {
  const [installer] = await context.files.glob(parsePattern('*forge-*-installer.jar'))
  if (installer && /^(?:neo)?forge-/i.test(getName(installer))) {
    await runInstaller(installer, java, context)
    return await renameServerJar(getName(installer).startsWith('neo'), context)
  }
  const loader = (await fromVariables(context)) ?? (await fromManifest(context))
  if (!loader)
    return context.say('The mod loader of this pack is unknown: install it in the folder of the server manually')
  context.say(`The mods run on ${loader.name} ${loader.version} for Minecraft ${loader.minecraft}`)
  switch (loader.name) {
    case 'forge':
      return await installForge(loader, java, context)
    case 'neoforge':
      return await installNeoForge(loader, java, context)
    case 'fabric':
      return await installFabric(loader, context)
    default:
      context.say(`${loader.name} cannot be installed by this step: install it manually`)
  }
}

async function installForge({ minecraft, version }: Loader, java: string, context: StepContext): Promise<void> {
  const path = parsePath(`forge-${minecraft}-${version}-installer.jar`)
  await downloadTo(await forgeInstaller(`${minecraft}-${version}`, context), path, context)
  await runInstaller(path, java, context)
  await renameServerJar(false, context)
}

async function installNeoForge({ version }: Loader, java: string, context: StepContext): Promise<void> {
  const path = parsePath(`neoforge-${version}-installer.jar`)
  await downloadTo(await neoForgeInstaller(version, context), path, context)
  await runInstaller(path, java, context)
  await renameServerJar(true, context)
}

async function installFabric({ minecraft, version, installer }: Loader, context: StepContext): Promise<void> {
  const parts = [minecraft, version, installer ?? (await newestFabricInstaller(context))].map(encodeURIComponent)
  await downloadTo(
    { url: new URL(`${fabric}/loader/${parts.join('/')}/server/jar`), digest: undefined },
    serverJar,
    context,
  )
}

async function newestFabricInstaller(context: StepContext): Promise<string> {
  const url = new URL(`${fabric}/installer`)
  const [newest] = await requireJson(url, z.array(z.object({ version: z.string() })), context)
  if (!newest) throw notFoundAt(url.hostname, 'installer')
  return newest.version
}

async function runInstaller(installer: SafePath, java: string, context: StepContext): Promise<void> {
  const argv = [java, '-jar', getName(installer), '--installServer']
  context.say(`Executing: ${argv.join(' ')}`)
  const failure = commandError(`the installer ${getName(installer)}`, await context.runCommand(argv))
  context.signal.throwIfAborted()
  if (failure) throw failure
  await context.files.removeTree(installer)
}

/** Renames the server jar to `server.jar`, if there is exactly one. */
async function renameServerJar(isNeoForge: boolean, context: StepContext): Promise<void> {
  if (isNeoForge) return await downloadTo({ url: starterUrl, digest: undefined }, serverJar, context)
  const jars = await context.files.glob(parsePattern('forge-*.jar'))
  const jar = jars.find((path) => getName(path).endsWith('-shim.jar')) ?? jars[0]
  if (!jar) return
  context.say(`Moving: ${formatPath(jar)} to ${formatPath(serverJar)}`)
  await context.files.rename(jar, serverJar)
}

async function fromVariables(context: StepContext): Promise<Loader | undefined> {
  const text = await readText(parsePath('variables.txt'), context)
  const read = new Map(
    text.split(/\r?\n/).flatMap((line) => {
      const assignment = findAssignment(line)
      return assignment ? [assignment] : []
    }),
  )
  const [name, minecraft, version] = ['MODLOADER', 'MINECRAFT_VERSION', 'MODLOADER_VERSION'].map((key) => read.get(key))
  if (!name || !minecraft || !version) return undefined
  const installer = read.get('FABRIC_INSTALLER_VERSION')
  return { name: name.toLowerCase(), minecraft, version, ...(installer && { installer }) }
}

/** Parses `NAME=value` or `NAME="value"`. */
function findAssignment(line: string): readonly [name: string, value: string] | undefined {
  const at = line.indexOf('=')
  const name = line.slice(0, Math.max(0, at)).trim()
  const quoted = line.slice(at + 1).trim()
  const value = quoted.slice(quoted.startsWith('"') ? 1 : 0, quoted.length > 1 && quoted.endsWith('"') ? -1 : undefined)
  return /^\w+$/.test(name) && !value.includes('"') ? [name, value] : undefined
}

const Manifest = z.object({
  minecraft: z.object({
    version: z.string(),
    modLoaders: z.array(z.object({ id: z.string(), primary: z.boolean().optional() })),
  }),
})

async function fromManifest(context: StepContext): Promise<Loader | undefined> {
  const text = await readText(parsePath('manifest.json'), context)
  const read = Manifest.safeParse(parseJsonOrUndefined(text))
  if (!read.success) return undefined
  const { version: minecraft, modLoaders } = read.data.minecraft
  const id = (modLoaders.find(({ primary }) => primary) ?? modLoaders[0])?.id ?? ''
  const { name, version } = /^(?<name>[a-z]+)-(?<version>.+)$/i.exec(id)?.groups ?? {}
  return name === undefined || version === undefined ? undefined : { name: name.toLowerCase(), minecraft, version }
}

async function readText(path: SafePath, { files }: StepContext): Promise<string> {
  return (await files.stat(path))?.kind === 'file' ? String(await files.readFile(path, limits.editableFileBytes)) : ''
}
