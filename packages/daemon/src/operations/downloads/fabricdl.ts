import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { z } from 'zod'
import { requireJson, urlIn } from '../../downloads/fetch-json.ts'
import type { PreparedStep } from '../context/step-context.ts'
import { downloadTo, fromMaven, notFoundAt, requireFilePath } from './remote-file.ts'

const listUrl = new URL('https://meta.fabricmc.net/v2/versions/installer')
const List = z.array(z.object({ url: z.string(), version: z.string().optional() }))

/** Downloads the newest installer of Fabric. */
export function fetchFabric({ target, targetFile }: StepFields<'fabricdl'>): PreparedStep {
  const path = requireFilePath(targetFile || target || 'fabric-installer.jar')

  return async (context) => {
    const [newest] = await requireJson(listUrl, List, context)
    if (!newest) throw notFoundAt(listUrl.hostname, 'installer')
    context.say(`Fabric installer ${newest.version ?? ''}`)
    await downloadTo(await fromMaven(urlIn(newest.url, listUrl), context), path, context)
  }
}
