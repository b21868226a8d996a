import { z } from 'zod'
import { parseDigest } from '../../downloads/digest.ts'
import { requireJson, urlIn } from '../../downloads/fetch-json.ts'
import { errorText } from '../../errors/error-text.ts'
import type { StepContext } from '../context/step-context.ts'
import { safeFileName } from './runtimes.ts'
import { findNewest } from './versions.ts'

const releaseUrl = new URL('https://api.github.com/repos/SteamRE/DepotDownloader/releases/latest')
const Release = z.object({
  tag_name: z.string(),
  assets: z.array(z.object({ name: z.string(), browser_download_url: z.string(), digest: z.string().nullish() })),
})

const javaMachines: Readonly<Record<string, string>> = { amd64: 'x64' }
const program = 'DepotDownloader'
const prefix = 'depotdownloader-'

/**
 * Installs DepotDownloader on the node if necessary and returns its path. Without GitHub, an installed version is used.
 */
export async function ensureDepotDownloader(context: StepContext): Promise<string> {
  const { fetch, signal, sharedStore } = context
  const say = (message: string) => context.say(message)
  try {
    const runtime = await newest(context)
    return `${await sharedStore.runtimes.ensure(runtime, { fetch, signal, say })}/${program}`
  } catch (error) {
    signal.throwIfAborted()
    const installed = findNewest(await sharedStore.runtimes.names(prefix))
    if (installed === undefined) throw error
    say(`${errorText(error)}. Using the installed ${installed}`)
    return `${sharedStore.runtimes.directory}/${installed}/${program}`
  }
}

async function newest(context: StepContext) {
  const { os, arch } = context.conditionContext
  const release = await requireJson(releaseUrl, Release, context)
  const file = `${program}-${os}-${javaMachines[arch] ?? arch}.zip`
  const asset = release.assets.find(({ name }) => name === file)
  if (!asset) throw new Error(`${program} ${release.tag_name} does not support this node: there is no ${file}`)
  return {
    name: `${prefix}${safeFileName(release.tag_name.replace(/^DepotDownloader_/i, ''))}`,
    url: urlIn(asset.browser_download_url, releaseUrl),
    digest: parseDigest(asset.digest),
    archive: 'depotdownloader.zip',
    programs: [program],
  }
}
