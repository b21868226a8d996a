import { globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getStatus, startServer } from '@innkeeper/contract/node-servers'
import { type Drill, until } from '../stage/drill.ts'
import type { Cast } from './cast.ts'
import { serverOn } from './daily-work.ts'
import { refusalOf } from './operator.ts'

/** A node whose clock goes wrong, and is set right. */
export async function clocks(drill: Drill, { operator, near }: Cast): Promise<void> {
  const params = await serverOn(operator, near, 'timeless', 'cat')
  await operator.send(startServer, { params, query: { wait: 'true' } })
  const [library = ''] = globSync('/usr/lib/*/faketime/libfaketime.so.1')
  const file = join(tmpdir(), 'faketime')
  const set = (seconds: number) => writeFile(file, `${seconds < 0 ? '' : '+'}${seconds}s\n`)
  await set(0)
  await near.end('SIGTERM')
  await near.start({
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  })
  await near.untilSeen(operator, 'online')

  for (const [what, seconds] of [
    ['ten minutes ahead', 600],
    ['ten minutes behind', -600],
  ] as const) {
    await drill.show(
      `a clock ${what} is noticed: the node says it, its page says it, and calls are refused`,
      async () => {
        await set(seconds)
        const shows = async () => (await near.seenBy(operator)).health
        await until('the page says it', async () => (await shows())?.problems.includes('clockSkew') ?? false, {
          withinMs: 60_000,
        })
        const skew = (await shows())?.clockSkewMs ?? 0
        if (Math.abs(skew - seconds * 1000) > 5_000) throw new Error(`it says that it is off by ${skew} ms`)
        const said = /the clock of this host is (-?\d+) s ahead/g
        const last = [...near.said.matchAll(said)].at(-1)?.[1]
        if (Math.abs(Number(last) - seconds) > 5) throw new Error(`the node says ${last}`)
        const { code } = await refusalOf(operator.send(getStatus, { params }))
        return `${Math.round(skew / 1000)} s, calls say ${code}`
      },
    )

    await drill.show('set right again it is back by itself, and its server ran on', async () => {
      await set(0)
      await near.untilSeen(operator, 'online')
      if (!(await operator.send(getStatus, { params })).running) throw new Error('it does not run')
    })
  }
  await near.end('SIGTERM')
  await near.start()
  await near.untilSeen(operator, 'online')
}
