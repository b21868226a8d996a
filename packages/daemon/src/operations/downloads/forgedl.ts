import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { XMLParser } from 'fast-xml-parser'
import { z } from 'zod'
import { fetchText, requireJson, unexpectedResponse } from '../../downloads/fetch-json.ts'
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
  const [version, minecraft] = getWanted(fields)
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
  const [version, minecraft] = getWanted(fields)
  const path = requireFilePath(fields.target)

  return async (context) => {
    const found = version === '' ? await newestNeoForge(minecraft, context) : version
    context.say(`NeoForge ${found}`)
    const url = new URL(`${neoForgeMaven}/${inUrl(found)}/neoforge-${inUrl(found)}-installer.jar`)
    await downloadTo(await fromMaven(url, context), path, context)
    await context.setVariable(outputVariable, found)
  }
}

/** `<minecraft>-<forge>` in the Maven repository of Forge. */
export async function forgeInstaller(version: string, context: StepContext) {
  const url = new URL(`${forgeMaven}/${inUrl(version)}/forge-${inUrl(version)}-installer.jar`)
  return await fromMaven(url, context)
}

/** The prefix of NeoForge versions for a Minecraft version: `21.1` for 1.21.1. */
export function neoForgeLine(minecraft: string): string {
  const [first = '', ...rest] = minecraft.split('.')
  const [major, minor = '0', patch] = first === '1' ? rest : [first, ...rest]
  return [major, minor, ...(first === '1' ? [] : [patch ?? '0'])].join('.')
}

function getWanted({ version, minecraftVersion }: { version: string; minecraftVersion: string }): [string, string] {
  const [exact, minecraft] = [version.trim(), minecraftVersion.trim()]
  if (exact === '' && minecraft === '') throw new Error('version or minecraftVersion is required')
  return [exact, minecraft]
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
