import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@innkeeper/contract/limits'
import { getConsole, getStatus, restartServer, sendCommand, startServer } from '@innkeeper/contract/node-servers'
import { Refusal } from '@innkeeper/contract/refusals'
import { deleteServer, getUsage, listServers } from '@innkeeper/contract/servers'
import { createTask, listTaskRuns } from '@innkeeper/contract/tasks'
import { type Drill, until } from '../stage/drill.ts'
import type { Cast } from './cast.ts'
import { counting, countsOn, serverOn } from './daily-work.ts'
import { refusalOf } from './operator.ts'
import { disorderIn, Viewer } from './viewer.ts'

/** How long a call may take until it says that a node is away, with what the way there and back takes. */
/** Ten seconds, and what this busy machine takes to answer. */
const mostMs = limits.nodeCallMs + 1_500
/** What a page of the list may take while nothing else is wrong than the node: nineteen of twenty. */
const pageMs = 100

/** A node whose plug is pulled: nothing passes, and nobody is told. */
export async function cutOff(drill: Drill, { operator, far, near }: Cast): Promise<void> {
  const counts = await serverOn(operator, far, 'counts', counting(20))
  // Crashes when it is told to, by whoever can reach its folder.
  const crashes = await serverOn(
    operator,
    far,
    'crashes',
    'sh -c "until test -e crash; do sleep 0.1; done; rm crash; exit 7"',
    {
      run: { autorecover: true },
    },
  )
  const doomed = await serverOn(operator, far, 'doomed', 'cat')
  const elsewhere = await serverOn(operator, near, 'elsewhere', 'cat')
  const note = { name: 'note', operations: [{ type: 'command', commands: ['sh -c "date >> noted"'] }] }
  const onCrash = { params: crashes, body: { ...note, triggers: [{ event: 'crashed' as const }] } }
  const { id: task } = await operator.send(createTask, onCrash)
  for (const params of [counts, crashes, doomed, elsewhere])
    await operator.send(startServer, { params, query: { wait: 'true' } })
  const viewer = new Viewer(operator, counts.id)
  await countsOn(viewer, 10)
  const before = await operator.send(getStatus, { params: counts })
  const ids = [counts.id, crashes.id, elsewhere.id].join()
  const states = async () => (await operator.send(getUsage, { query: { ids } })).map(({ status }) => status?.state)
  await until('the panels have heard of all', async () => (await states()).every((state) => state === 'online'))
  const runs = () => operator.send(listTaskRuns, { params: { id: crashes.id, task } })
  /** What nineteen of twenty pages of the list take, in milliseconds. */
  const pages = async () => {
    const took: number[] = []
    for (let page = 0; page < 100; page++) {
      const begin = performance.now()
      await operator.send(listServers, { query: {} })
      const said = await states()
      took.push(performance.now() - begin)
      if (said.some((state) => state !== 'online')) throw new Error(`it says ${said}`)
    }
    return Math.round(took.sort((a, b) => a - b)[94] ?? 0)
  }
  const usual = await pages()

  await far.machine.setLink('down')
  try {
    await drill.show('a node is cut off: every call to it fails within 10 s and says why', async () => {
      const tried = [
        refusalOf(operator.send(getStatus, { params: counts })),
        refusalOf(operator.send(sendCommand, { params: counts, body: 'x' })),
        refusalOf(operator.send(getConsole, { params: counts, query: {} })),
        refusalOf(operator.fetch(`/proxy/daemon/server/${counts.id}/file/`).then(refusedIn)),
        refusalOf(
          operator.fetch(`/proxy/daemon/server/${counts.id}/file/a`, { method: 'PUT', body: 'x' }).then(refusedIn),
        ),
        refusalOf(operator.send(restartServer, { params: doomed, query: { wait: 'true' } })),
        refusalOf(operator.send(deleteServer, { params: doomed, query: {} })),
      ]
      const heard = await Promise.all(tried)
      const codes = [...new Set(heard.map(({ code }) => code))]
      if (codes.join() !== 'ErrServiceNotAvailable') throw new Error(`they say ${codes}`)
      const longest = Math.max(...heard.map(({ ms }) => ms))
      if (longest > mostMs) throw new Error(`the longest took ${Math.round(longest)} ms`)
      return `the longest took ${Math.round(longest)} ms`
    })

    await drill.show('the list answers all the same, with what was known last', async () => {
      let now = await pages()
      // A machine that is busy with something else is not so all the time; a panel that waits for the node is.
      for (let round = 1; round < 5 && now > pageMs; round++) now = Math.min(now, await pages())
      const figures = `nineteen of twenty pages within ${now} ms, before within ${usual} ms`
      if (now > pageMs && now > 2 * usual) throw new Error(figures)
      return figures
    })

    await drill.show(
      'the node is shown as offline, its servers with the age of what is known, others as ever',
      async () => {
        await far.untilSeen(operator, 'offline')
        const usage = await operator.send(getUsage, { query: { ids: [counts.id, elsewhere.id].join() } })
        const [away, there] = [counts.id, elsewhere.id].map((id) => usage.find((one) => one.id === id))
        const age = Date.now() - Date.parse(away?.seenAt ?? '')
        if (!away?.isOld || !(age >= limits.nodeOfflineMs)) throw new Error(`it is shown as ${JSON.stringify(away)}`)
        if (there?.isOld || (await near.seenBy(operator)).health?.state !== 'online')
          throw new Error('the other one too')
        const { code, ms } = await refusalOf(operator.send(getStatus, { params: counts }))
        return `then calls say ${code} after ${Math.round(ms)} ms`
      },
    )

    // What nobody outside can see: it crashes, is started again, and its task runs.
    await writeFile(join(far.data, 'servers', crashes.id, 'crash'), '')
    await pause(5_000)
  } finally {
    await far.machine.setLink('up')
  }

  await drill.show('plugged in again it is back by itself', async () => {
    const begin = performance.now()
    await far.untilSeen(operator, 'online')
    await until('calls pass', () => operator.send(getStatus, { params: counts }).then(() => true))
    return `after ${Math.round((performance.now() - begin) / 100) / 10} s`
  })

  await drill.show('its servers ran on, and the console goes on without a line lost or doubled', async () => {
    const { since } = await operator.send(getStatus, { params: counts })
    if (since !== before.since) throw new Error(`running since ${since}, before ${before.since}`)
    await countsOn(viewer, 100, 60_000)
    const disorder = disorderIn(viewer.text)
    if (disorder) throw new Error(disorder)
    return `${viewer.text.split('\n').length} lines, the line broke ${viewer.breaks} times`
  })
  viewer.close()

  await drill.show('what happened meanwhile is told once: a crash, and the task that it set off', async () => {
    await until('the task has run', async () => (await runs()).some(({ result }) => result !== undefined))
    const results = (await runs()).map(({ result, event }) => `${event} ${result}`)
    if (results.join() !== 'crashed done') throw new Error(`its runs are ${results}`)
    const { logs } = await operator.send(getConsole, { params: crashes, query: { time: '0' } })
    const told = logs.split('\n').filter((line) => line.includes('exited with code 7'))
    if (told.length !== 1) throw new Error(`its console says ${JSON.stringify(told)}`)
    const [usage] = await operator.send(getUsage, { query: { ids: crashes.id } })
    if (usage?.isOld || usage?.status?.state !== 'online') throw new Error(`it is shown as ${JSON.stringify(usage)}`)
    return told[0]?.trim()
  })
}

/** Throws the refusal that was answered. */
async function refusedIn(answer: { ok: boolean; text(): Promise<string> }): Promise<void> {
  if (answer.ok) return
  const { error } = JSON.parse(await answer.text()) as { error: { code: 'ErrServiceNotAvailable' } }
  throw new Refusal(error.code)
}
