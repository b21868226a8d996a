import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { z } from 'zod'
import { parseDigest } from '../../downloads/digest.ts'
import { fetchJson, urlIn } from '../../downloads/fetch-json.ts'
import { parsePath } from '../../files/path/safe-path.ts'
import type { PreparedStep } from '../context/step-context.ts'
import { forgeInstaller } from './forgedl.ts'
import { downloadTo, notFoundAt } from './remote-file.ts'

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
