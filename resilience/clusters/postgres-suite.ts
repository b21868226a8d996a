import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import type { Suite } from '../harness/suite.ts'
import { OutageScenario } from './outage-scenario.ts'
import { PanelPair } from './panel-pair.ts'
import { PostgresPair } from './postgres-pair.ts'

/** A PostgreSQL primary fails, and its standby is promoted. */
export async function postgresSuite(suite: Suite, folder: string): Promise<void> {
  await chmod(folder, 0o755)
  const pair = await PostgresPair.start(suite, join(folder, 'postgres'))
  const database = { type: 'postgres', servers: [pair.primaryPort, pair.standbyPort] } as const
  const listeners = [1, 2].map((number) => ({ ...database, name: `database-${number}` }))
  let panels: PanelPair | undefined
  await suite.checkRequired('PostgreSQL: two panels start at the same time on an empty database', async () => {
    panels = await PanelPair.start(suite, folder, listeners, (port) => pair.url(port))
  })
  if (!panels) return
  const scenario = await OutageScenario.prepare(suite, 'PostgreSQL', panels)
  await scenario.run('primary killed, standby promoted', async () => {
    await pair.crash()
    await pair.failOver()
  })
  await scenario.checkStoredData(pair.url(pair.standbyPort))
}
