import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { XMLParser } from 'fast-xml-parser'
import { z } from 'zod'
import { fetchText, requireJson, unexpectedResponse } from '../../downloads/fetch-json.ts'
import { findParent, getName, parsePattern, rootPath } from '../../files/path/safe-path.ts'
import type { PreparedStep, StepContext } from '../context/step-context.ts'
import { downloadTo, fromMaven, notFoundAt, requireFilePath } from './remote-file.ts'
import { findNewest } from './versions.ts'

const forgeMaven = 'https://maven.minecraftforge.net/net/minecraftforge/forge'
const promotions = new URL('https://files.minecraftforge.net/net/minecraftforge/forge/promotions_slim.json')
const neoForgeMaven = 'https://maven.neoforged.net/releases/net/neoforged/neoforge'

const Promotions = z.object({ promos: z.record(z.string(), z.string()) })
const Metadata = z.object({
  metadata: z.object({ versioning: z.object({ versions: z.object({ version: z.array(z.coerce.string()) }) }) }),
})

/** Downloads the installer of Forge: of a version, or the newest one for a Minecraft version. */
export function fetchForge(fields: StepFields<'forgedl'>): PreparedStep {
  const { outputVariable } = fields
  const [version, minecraft] = requireVersion(fields)
  const path = requireFilePath(fields.target || fields.filename || 'forge-installer.jar')

  return async (context) => {
    const found = version === '' ? await newestForge(minecraft, context) : fullVersion(version, minecraft)
    context.say(`Forge ${found}`)
    await downloadTo(await forgeInstaller(found, context), path, context)
    await context.setVariable(outputVariable, found)
  }
}

/** Downloads the installer of NeoForge, likewise. */
export function fetchNeoForge(fields: StepFields<'neoforgedl'>): PreparedStep {
  const { outputVariable } = fields
  const [version, minecraft] = requireVersion(fields)
  const path = requireFilePath(fields.target)

  return async (context) => {
    const found = version === '' ? await newestNeoForge(minecraft, context) : version
    context.say(`NeoForge ${found}`)
    await downloadTo(await neoForgeInstaller(found, context), path, context)
    await context.setVariable(outputVariable, found)
  }
}

/** `<minecraft>-<forge>` in the Maven repository of Forge. */
export async function forgeInstaller(version: string, context: StepContext) {
  const url = new URL(`${forgeMaven}/${inUrl(version)}/forge-${inUrl(version)}-installer.jar`)
  return await fromMaven(url, context)
}

export async function neoForgeInstaller(version: string, context: StepContext) {
  const url = new URL(`${neoForgeMaven}/${inUrl(version)}/neoforge-${inUrl(version)}-installer.jar`)
  return await fromMaven(url, context)
}

/** The prefix of NeoForge versions for a Minecraft version: `21.1` for 1.21.1. */
function neoForgeLine(minecraft: string): string {
  const [first = '', ...rest] = minecraft.split('.')
  const [major, minor = '0', patch] = first === '1' ? rest : [first, ...rest]
  return [major, minor, ...(first === '1' ? [] : [patch ?? '0'])].join('.')
}

interface Versions {
  readonly version: string
  readonly minecraftVersion: string
}

const getVersions = ({ version, minecraftVersion }: Versions) => [version.trim(), minecraftVersion.trim()] as const

function requireVersion(fields: Versions): readonly [string, string] {
  const versions = getVersions(fields)
  if (versions.every((version) => version === '')) throw new Error('version or minecraftVersion is required')
  return versions
}

/** Some definitions have the two versions separately. */
function fullVersion(version: string, minecraft: string): string {
  return version.includes('-') || minecraft === '' ? version : `${minecraft}-${version}`
}

async function newestForge(minecraft: string, context: StepContext): Promise<string> {
  const promos = (await requireJson(promotions, Promotions, context)).promos
  const name = `${minecraft}-latest`
  const forge = Object.hasOwn(promos, name) ? promos[name] : undefined
  if (forge === undefined) throw notFoundAt(promotions.hostname, `Forge for Minecraft ${minecraft}`)
  return `${minecraft}-${forge}`
}

async function newestNeoForge(minecraft: string, context: StepContext): Promise<string> {
  const url = new URL(`${neoForgeMaven}/maven-metadata.xml`)
  const parser = new XMLParser({ isArray: (name) => name === 'version', parseTagValue: false, processEntities: false })
  const text = await fetchText(url, context)
  const read = Metadata.safeParse(text === undefined ? undefined : parser.parse(text))
  if (!read.success) throw unexpectedResponse(url)
  const line = `${neoForgeLine(minecraft)}.`
  const matching = read.data.metadata.versioning.versions.version.filter((version) => version.startsWith(line))
  const releases = matching.filter((version) => !/[a-z]/i.test(version))
  const found = findNewest(releases.length > 0 ? releases : matching)
  if (found === undefined) throw notFoundAt(url.hostname, `NeoForge for Minecraft ${minecraft}`)
  return found
}

const inUrl = (version: string): string => encodeURIComponent(version)

/** Finds the newest installed Forge and sets a variable to its version. */
export function resolveForge(fields: StepFields<'resolveforgeversion'>): PreparedStep {
  const [version, minecraft] = getVersions(fields)
  const prefix = version || (minecraft && `${minecraft}-`)
  return resolveNewest('Forge', 'libraries/net/minecraftforge/forge', prefix, fields.outputVariable)
}

/** Likewise for NeoForge, whose versions do not begin with the Minecraft version. */
export function resolveNeoForge(fields: StepFields<'resolveneoforgeversion'>): PreparedStep {
  const [version, minecraft] = getVersions(fields)
  const prefix = version || (minecraft && `${neoForgeLine(minecraft)}.`)
  return resolveNewest('NeoForge', 'libraries/net/neoforged/neoforge', prefix, fields.outputVariable)
}

function resolveNewest(subject: string, folder: string, prefix: string, variable: string): PreparedStep {
  const pattern = parsePattern(`${folder}/*/unix_args.txt`)

  return async ({ files, say, setVariable }) => {
    const found = (await files.glob(pattern)).map((path) => getName(findParent(path) ?? rootPath))
    const newest = findNewest(found.filter((version) => version.startsWith(prefix)))
    if (newest === undefined) {
      throw new Error(`no ${subject}${prefix ? ` ${prefix}*` : ''} is installed in ${folder}: run Install first`)
    }
    say(`${subject} ${newest}`)
    await setVariable(variable, newest)
  }
}
