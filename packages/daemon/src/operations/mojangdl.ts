import type { StepFields } from '@innkeeper/contract/operations'
import { z } from 'zod'
import { parseDigest } from '../downloads/digest.ts'
import { fetchJson, requireJson, urlIn } from '../downloads/fetch-json.ts'
import type { ReadyStep } from './step-context.ts'
import { downloadTo, fileAt, unknownTo } from './upstream.ts'

const listUrl = new URL('https://launchermeta.mojang.com/mc/game/version_manifest.json')

const List = z.object({
  latest: z.object({ release: z.string(), snapshot: z.string() }),
  versions: z.array(z.object({ id: z.string(), url: z.string() })),
})

const Version = z.object({
  downloads: z.object({ server: z.object({ url: z.string(), sha1: z.string().optional() }).optional() }),
})

/** The server of a version of Minecraft. */
export function fetchMinecraft({ version, target }: StepFields<'mojangdl'>): ReadyStep {
  const path = fileAt(target)
  const wanted = version.trim()

  return async (room) => {
    const list = await requireJson(listUrl, List, room)
    const id =
      { release: list.latest.release, latest: list.latest.release, snapshot: list.latest.snapshot }[wanted] ?? wanted
    const known = list.versions.find((one) => one.id === id)
    if (!known) throw unknownTo(listUrl.hostname, `version ${id} of Minecraft`)

    room.say(`Minecraft ${id}`)
    const versionUrl = urlIn(known.url, listUrl)
    const server = (await fetchJson(versionUrl, Version, room))?.downloads.server
    if (!server) throw new Error(`${versionUrl.hostname} offers no server of Minecraft ${id}`)
    await downloadTo({ url: urlIn(server.url, versionUrl), digest: parseDigest(server.sha1) }, path, room)
  }
}
