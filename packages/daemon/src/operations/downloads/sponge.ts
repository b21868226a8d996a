import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { z } from 'zod'
import { parseDigest } from '../../downloads/digest.ts'
import { fetchJson, urlIn } from '../../downloads/fetch-json.ts'
import { parsePath } from '../../files/path/safe-path.ts'
import type { PreparedStep, StepContext } from '../context/step-context.ts'
import { forgeInstaller } from './forge.ts'
import { downloadTo, notFoundAt } from './remote-file.ts'

const artifacts = 'https://dl-api.spongepowered.org/v2/groups/org.spongepowered/artifacts'

const Versions = z.object({ artifacts: z.record(z.string(), z.unknown()) })
const Version = z.object({
  assets: z.array(
    z.object({
      classifier: z.string().nullish(),
      extension: z.string(),
      downloadUrl: z.string(),
      sha1: z.string().nullish(),
      md5: z.string().nullish(),
    }),
  ),
})

const kinds = {
  spongeforge: { classifiers: ['universal', ''], target: 'mods/_aspongeforge.jar' },
  spongevanilla: { classifiers: ['', 'universal'], target: 'server.jar' },
} as const

/** Downloads Sponge: as a mod of Forge, or as a server of its own. */
export function fetchSponge(fields: StepFields<'spongedl'>): PreparedStep {
  const { spongeType } = fields
  const { classifiers, target } = kinds[spongeType]

  return async (context) => {
    const version = fields.spongeVersion.trim() || (await newestSponge(fields, context))
    const url = new URL(`${artifacts}/${spongeType}/versions/${encodeURIComponent(version)}`)
    const assets = (await fetchJson(url, Version, context))?.assets ?? []
    const jars = assets.filter(({ extension }) => extension === 'jar')
    const jar = classifiers.flatMap((preferred) => jars.filter(({ classifier }) => (classifier ?? '') === preferred))[0]
    if (!jar) throw notFoundAt(url.hostname, `${spongeType} ${version}`)
    context.say(`Sponge ${version}`)
    const digest = parseDigest(jar.sha1) ?? parseDigest(jar.md5)
    await downloadTo({ url: urlIn(jar.downloadUrl, url), digest }, parsePath(target), context)
  }
}

/** The first in the list, which has the newest first. */
async function newestSponge(
  { spongeType, recommended, minecraftVersion }: StepFields<'spongedl'>,
  context: StepContext,
): Promise<string> {
  const url = new URL(`${artifacts}/${spongeType}/versions`)
  const minecraft = minecraftVersion.trim()
  if (recommended) url.searchParams.set('recommended', 'true')
  if (minecraft !== '') url.searchParams.set('tags', `minecraft:${minecraft}`)
  url.searchParams.set('limit', '1')
  const [newest] = Object.keys((await fetchJson(url, Versions, context))?.artifacts ?? {})
  if (newest === undefined) {
    const build = `${recommended ? 'recommended ' : ''}${spongeType}${minecraft && ` for Minecraft ${minecraft}`}`
    throw notFoundAt(url.hostname, build)
  }
  return newest
}

const downloads = 'https://dl-api.spongepowered.org/v1/org.spongepowered/spongeforge/downloads'

const Release = z.object({
  dependencies: z.object({ forge: z.string(), minecraft: z.string() }),
  artifacts: z.record(z.string(), z.object({ url: z.string(), sha1: z.string().optional() })),
})
const Releases = z.union([z.array(Release), Release.transform((release) => [release])])

/** Downloads SpongeForge as a mod, and the installer of the Forge version that it needs. */
export function fetchSpongeForge({ releaseType }: StepFields<'spongeforgedl'>): PreparedStep {
  const isLatest = releaseType.trim() === 'latest'
  const url = new URL(isLatest ? `${downloads}?type=stable&limit=1` : `${downloads}/recommended`)

  return async (context) => {
    const [release] = (await fetchJson(url, Releases, context)) ?? []
    const mod = release?.artifacts['']
    if (!release || !mod) throw notFoundAt(url.hostname, `${isLatest ? 'latest' : 'recommended'} SpongeForge`)
    const { forge, minecraft } = release.dependencies
    const version = forge.startsWith(`${minecraft}-`) ? forge : `${minecraft}-${forge}`
    context.say(`SpongeForge for Forge ${version}`)
    await downloadTo(await forgeInstaller(version, context), parsePath('forge-installer.jar'), context)
    const jar = { url: urlIn(mod.url, url), digest: parseDigest(mod.sha1) }
    await downloadTo(jar, parsePath('mods/_aaspongeforge.jar'), context)
  }
}
