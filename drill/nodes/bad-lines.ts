import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getStatus, startServer } from '@innkeeper/contract/node-servers'
import type { Drill } from '../stage/drill.ts'
import type { Cast } from './cast.ts'
import { counting, countsOn, serverOn } from './daily-work.ts'
import { digestOf, upload } from './upload.ts'
import { Viewer } from './viewer.ts'

/** A node behind a line that is long, or that loses what it carries. */
export async function badLines(drill: Drill, { operator, far }: Cast): Promise<void> {
  const params = await serverOn(operator, far, 'far-away', counting(50))
  await operator.send(startServer, { params, query: { wait: 'true' } })
  drill.say('delay and loss by a relay of frames in user space, in both directions')
  for (const [what, delayMs, loss] of [
    ['300 ms away', 150, 0],
    ['where one frame of ten gets lost', 5, 0.1],
  ] as const) {
    far.machine.setLine(delayMs, loss)
    try {
      await drill.show(`a node ${what}: console and upload are whole, and it stays online`, async () => {
        const viewer = new Viewer(operator, params.id)
        const bytes = randomBytes(4_000_000)
        const begin = performance.now()
        const { breaks } = await upload(operator, params.id, `${delayMs}.dat`, bytes)
        const took = performance.now() - begin
        await countsOn(viewer, 200, 60_000)
        viewer.close()
        const arrived = await readFile(join(far.data, 'servers', params.id, `${delayMs}.dat`))
        if (digestOf(arrived) !== digestOf(bytes)) throw new Error('the file is not what was sent')
        await operator.send(getStatus, { params })
        await far.untilSeen(operator, 'online', 30_000)
        return `4 MB in ${Math.round(took / 100) / 10} s, ${breaks} pieces sent again`
      })
    } finally {
      far.machine.setLine(0, 0)
    }
  }
}
