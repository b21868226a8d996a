import type { SleepQueryType } from '@innkeeper/contract/definitions/sleep'
import { bedrock } from './bedrock.ts'
import { minecraft } from './minecraft.ts'
import { openTtd } from './openttd.ts'
import type { SleepProtocol } from './protocol.ts'
import { quake3 } from './quake3.ts'
import { source } from './source.ts'
import { teeworlds } from './teeworlds.ts'

/** The protocols that are answered in place of a game that sleeps, by the type of query. */
export const sleepProtocols: Readonly<Record<SleepQueryType, SleepProtocol>> = {
  minecraft,
  'minecraft-bedrock': bedrock,
  source,
  quake3,
  openttd: openTtd,
  teeworlds,
}
