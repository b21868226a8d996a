import type { StepFields } from '@innkeeper/contract/operations'
import { z } from 'zod'
import { addressIn, askFor, demand } from '../downloads/ask.ts'
import { parseDigest } from '../downloads/digest.ts'
import type { ReadyStep } from './step-context.ts'
import { bring, fileAt, unknownTo } from './upstream.ts'

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
    const list = await demand(listUrl, List, room)
    const id =
      { release: list.latest.release, latest: list.latest.release, snapshot: list.latest.snapshot }[wanted] ?? wanted
    const known = list.versions.find((one) => one.id === id)
    if (!known) throw unknownTo(listUrl.hostname, `version ${id} of Minecraft`)

    room.say(`Minecraft ${id}`)
    const versionUrl = addressIn(known.url, listUrl)
    const server = (await askFor(versionUrl, Version, room))?.downloads.server
    if (!server) throw new Error(`${versionUrl.hostname} offers no server of Minecraft ${id}`)
    await bring({ url: addressIn(server.url, versionUrl), digest: parseDigest(server.sha1) }, path, room)
  }
}
