import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import type { Drill } from '../stage/drill.ts'
import { Outage } from './outage.ts'
import { TwoPanels } from './panels.ts'
import { PostgresPair } from './postgres-pair.ts'

/** A PostgreSQL primary with a standby: the primary dies, and the standby takes its place. */
export async function overPostgres(drill: Drill, folder: string): Promise<void> {
  await chmod(folder, 0o755)
  const pair = await PostgresPair.start(drill, join(folder, 'postgres'))
  const database = { kind: 'postgres', servers: [pair.primaryPort, pair.standbyPort] } as const
  const ways = [1, 2].map((at) => ({ ...database, name: `database-${at}` }))
  let panels: TwoPanels | undefined
  await drill.showFirst('PostgreSQL: two panels that start at once on an empty database both come up', async () => {
    panels = await TwoPanels.start(drill, folder, ways, (port) => pair.url(port))
  })
  if (!panels) return
  const outage = await Outage.prepare(drill, 'PostgreSQL', panels)
  await outage.show('the primary is killed and the standby promoted', async () => {
    await pair.crash()
    await pair.failOver()
  })
  await outage.showWhatIsThere(pair.url(pair.standbyPort))
}
