import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sendCommand, startServer } from '@innkeeper/contract/node-servers'
import { listServers } from '@innkeeper/contract/servers'
import { type Drill, until } from '../stage/drill.ts'
import type { Cast, PanelMachine } from './cast.ts'
import { counting, countsOn, serverOn } from './daily-work.ts'
import { type Operator, persistently } from './operator.ts'
import { digestOf, upload } from './upload.ts'
import { disorderIn, Viewer } from './viewer.ts'

/** Panels that are killed, and restarted one after the other, while they are used. */
export async function panelsLost(drill: Drill, { operator, near, panels }: Cast): Promise<void> {
  const params = await serverOn(operator, near, 'in-use', counting(50))
  const echo = await serverOn(operator, near, 'echo', 'cat')
  for (const server of [params, echo]) await operator.send(startServer, { params: server, query: { wait: 'true' } })
  const files = join(near.data, 'servers', params.id)

  await drill.show(
    'each panel is killed in turn while a console and an upload run: both go on through the other',
    async () => {
      // One over each way: whichever panel is killed, somebody's line breaks.
      const viewers = [new Viewer(operator, params.id), new Viewer(operator, params.id)] as const
      const bytes = randomBytes(48_000_000)
      const due = [...panels]
      const killing = async (sent: number) => {
        const panel =
          sent > 0 && sent >= (bytes.length * (panels.length - due.length + 1)) / 4 ? due.shift() : undefined
        if (!panel) return
        // In the middle of the piece that follows.
        setTimeout(() => void killAndStart(panel), 20)
      }
      const { breaks } = await upload(operator, params.id, 'world.dat', bytes, killing)
      await Promise.all(panels.map((panel) => untilReady(operator, panel)))
      for (const viewer of viewers) await countsOn(viewer, 100)
      for (const viewer of viewers) viewer.close()
      if (digestOf(await readFile(join(files, 'world.dat'))) !== digestOf(bytes))
        throw new Error('it is not what was sent')
      const broken = viewers[0].breaks + viewers[1].breaks
      if (broken === 0) throw new Error('no console went through a panel that was killed')
      return `${broken} consoles broke, ${breaks} pieces were sent again`
    },
  )

  await drill.show('a rolling restart of both panels loses no request of a client that tries again', async () => {
    let isOver = false
    const rolling = roll(operator, panels).finally(() => {
      isOver = true
    })
    let [sent, again] = [0, 0]
    const retried = () => {
      again++
    }
    const folder = `/proxy/daemon/server/${params.id}/file/many`
    const clients = [0, 1, 2, 3].map(async (client) => {
      for (let number = 0; !isOver; number++) {
        const name = `${client}-${number}`
        await persistently(async () => {
          const put = await operator.fetch(`${folder}/${name}`, { method: 'PUT', body: name })
          if (put.status !== 204) throw new Error(`${name}: ${put.status} ${await put.text()}`)
        }, retried)
        sent++
        await persistently(() => operator.send(listServers, { query: {} }), retried)
        sent++
      }
    })
    await operator.fetch(`${folder}?folder=true`, { method: 'PUT' })
    await Promise.all(clients)
    await rolling
    const names = await readdir(join(files, 'many'))
    if (names.length !== sent / 2) throw new Error(`${sent / 2} files were acknowledged, ${names.length} are there`)
    for (const name of names)
      if ((await readFile(join(files, 'many', name), 'utf8')) !== name) throw new Error(`${name} holds something else`)
    return `${sent} requests, ${again} tried again`
  })

  await drill.show('and a command that is typed once arrives once', async () => {
    const viewer = new Viewer(operator, echo.id)
    for (let number = 1; number <= 20; number++)
      await operator.send(sendCommand, { params: echo, body: String(number) })
    await until('all of them are on the console', () => /^20\r?$/m.test(viewer.text))
    const disorder = disorderIn(viewer.text)
    viewer.close()
    if (disorder) throw new Error(disorder)
  })
}

async function killAndStart(panel: PanelMachine): Promise<void> {
  await panel.end('SIGKILL')
  await panel.start()
}

async function roll(operator: Operator, panels: readonly PanelMachine[]): Promise<void> {
  for (const panel of panels) {
    await panel.end('SIGTERM')
    await panel.start()
    await untilReady(operator, panel)
  }
}

async function untilReady(operator: Operator, panel: PanelMachine): Promise<void> {
  const at = operator.at(panel.url)
  const isReady = () => at.fetch('/readyz').then(({ ok }) => ok)
  await until(`${panel.machine.name} is ready`, isReady)
  await at.close()
}
