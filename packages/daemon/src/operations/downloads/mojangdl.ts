import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { z } from 'zod'
import { parseDigest } from '../../downloads/digest.ts'
import { fetchJson, requireJson, urlIn } from '../../downloads/fetch-json.ts'
import type { PreparedStep } from '../context/step-context.ts'
import { downloadTo, notFoundAt, requireFilePath } from './remote-file.ts'

const listUrl = new URL('https://launchermeta.mojang.com/mc/game/version_manifest.json')

const List = z.object({
  latest: z.object({ release: z.string(), snapshot: z.string() }),
  versions: z.array(z.object({ id: z.string(), url: z.string() })),
})

const Version = z.object({
  downloads: z.object({ server: z.object({ url: z.string(), sha1: z.string().optional() }).optional() }),
})

/** Downloads the server of a Minecraft version. */
export function fetchMinecraft({ version, target }: StepFields<'mojangdl'>): PreparedStep {
  const path = requireFilePath(target)
  const requested = version.trim()

  return async (context) => {
    const list = await requireJson(listUrl, List, context)
    const id =
      { release: list.latest.release, latest: list.latest.release, snapshot: list.latest.snapshot }[requested] ??
      requested
    const known = list.versions.find((one) => one.id === id)
    if (!known) throw notFoundAt(listUrl.hostname, `version ${id} of Minecraft`)

    context.say(`Minecraft ${id}`)
    const versionUrl = urlIn(known.url, listUrl)
    const server = (await fetchJson(versionUrl, Version, context))?.downloads.server
    if (!server) throw new Error(`${versionUrl.hostname} has no server of Minecraft ${id}`)
    await downloadTo({ url: urlIn(server.url, versionUrl), digest: parseDigest(server.sha1) }, path, context)
  }
}
