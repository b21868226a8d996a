import type { StepFields } from '@innkeeper/contract/operations'
import { XMLParser } from 'fast-xml-parser'
import { z } from 'zod'
import { fetchText, requireJson, unexpectedResponse } from '../downloads/fetch-json.ts'
import type { ReadyStep, StepContext } from './step-context.ts'
import { downloadTo, fileAt, fromMaven, unknownTo } from './upstream.ts'
import { newestOf } from './versions.ts'

const forgeMaven = 'https://maven.minecraftforge.net/net/minecraftforge/forge'
const promotions = new URL('https://files.minecraftforge.net/net/minecraftforge/forge/promotions_slim.json')
const neoForgeMaven = 'https://maven.neoforged.net/releases/net/neoforged/neoforge'

const Promotions = z.object({ promos: z.record(z.string(), z.string()) })
const Metadata = z.object({
  metadata: z.object({ versioning: z.object({ versions: z.object({ version: z.array(z.coerce.string()) }) }) }),
})

/** The installer of Forge: of a version, or the newest one for a version of Minecraft. */
export function fetchForge(fields: StepFields<'forgedl'>): ReadyStep {
  const { outputVariable } = fields
  const [version, minecraft] = wantedOf(fields)
  const path = fileAt(fields.target || fields.filename || 'forge-installer.jar')

  return async (room) => {
    const found = version === '' ? await newestForge(minecraft, room) : whole(version, minecraft)
    room.say(`Forge ${found}`)
    await downloadTo(await forgeInstaller(found, room), path, room)
    await room.setVariable(outputVariable, found)
  }
}

/** The installer of NeoForge, likewise. */
export function fetchNeoForge(fields: StepFields<'neoforgedl'>): ReadyStep {
  const { outputVariable } = fields
  const [version, minecraft] = wantedOf(fields)
  const path = fileAt(fields.target)

  return async (room) => {
    const found = version === '' ? await newestNeoForge(minecraft, room) : version
    room.say(`NeoForge ${found}`)
    const url = new URL(`${neoForgeMaven}/${inUrl(found)}/neoforge-${inUrl(found)}-installer.jar`)
    await downloadTo(await fromMaven(url, room), path, room)
    await room.setVariable(outputVariable, found)
  }
}

/** `<minecraft>-<forge>` on the Maven of Forge. */
export async function forgeInstaller(version: string, room: StepContext) {
  const url = new URL(`${forgeMaven}/${inUrl(version)}/forge-${inUrl(version)}-installer.jar`)
  return await fromMaven(url, room)
}

/** What of the newest versions of NeoForge is for a version of Minecraft: `21.1` for 1.21.1. */
export function neoForgeLine(minecraft: string): string {
  const [first = '', ...rest] = minecraft.split('.')
  const [major, minor = '0', patch] = first === '1' ? rest : [first, ...rest]
  return [major, minor, ...(first === '1' ? [] : [patch ?? '0'])].join('.')
}

function wantedOf({ version, minecraftVersion }: { version: string; minecraftVersion: string }): [string, string] {
  const [exact, minecraft] = [version.trim(), minecraftVersion.trim()]
  if (exact === '' && minecraft === '') throw new Error('version or minecraftVersion is required')
  return [exact, minecraft]
}

/** Some give the two versions apart. */
function whole(version: string, minecraft: string): string {
  return version.includes('-') || minecraft === '' ? version : `${minecraft}-${version}`
}

async function newestForge(minecraft: string, room: StepContext): Promise<string> {
  const promos = (await requireJson(promotions, Promotions, room)).promos
  const name = `${minecraft}-latest`
  const forge = Object.hasOwn(promos, name) ? promos[name] : undefined
  if (forge === undefined) throw unknownTo(promotions.hostname, `Forge for Minecraft ${minecraft}`)
  return `${minecraft}-${forge}`
}

async function newestNeoForge(minecraft: string, room: StepContext): Promise<string> {
  const url = new URL(`${neoForgeMaven}/maven-metadata.xml`)
  const parser = new XMLParser({ isArray: (name) => name === 'version', parseTagValue: false, processEntities: false })
  const text = await fetchText(url, room)
  const read = Metadata.safeParse(text === undefined ? undefined : parser.parse(text))
  if (!read.success) throw unexpectedResponse(url)
  const line = `${neoForgeLine(minecraft)}.`
  const fitting = read.data.metadata.versioning.versions.version.filter((version) => version.startsWith(line))
  const releases = fitting.filter((version) => !/[a-z]/i.test(version))
  const found = newestOf(releases.length > 0 ? releases : fitting)
  if (found === undefined) throw unknownTo(url.hostname, `NeoForge for Minecraft ${minecraft}`)
  return found
}

const inUrl = (version: string): string => encodeURIComponent(version)
