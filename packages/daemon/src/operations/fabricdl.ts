import type { StepFields } from '@innkeeper/contract/operations'
import { z } from 'zod'
import { requireJson, urlIn } from '../downloads/fetch-json.ts'
import type { ReadyStep } from './step-context.ts'
import { downloadTo, fileAt, fromMaven, unknownTo } from './upstream.ts'

const listUrl = new URL('https://meta.fabricmc.net/v2/versions/installer')
const List = z.array(z.object({ url: z.string(), version: z.string().optional() }))

/** The newest installer of Fabric. */
export function fetchFabric({ target, targetFile }: StepFields<'fabricdl'>): ReadyStep {
  const path = fileAt(targetFile || target || 'fabric-installer.jar')

  return async (room) => {
    const [newest] = await requireJson(listUrl, List, room)
    if (!newest) throw unknownTo(listUrl.hostname, 'installer')
    room.say(`Fabric installer ${newest.version ?? ''}`)
    await downloadTo(await fromMaven(urlIn(newest.url, listUrl), room), path, room)
  }
}
