import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getStatus, startServer } from '@innkeeper/contract/node-servers'
import { type Drill, until } from '../stage/drill.ts'
import type { Cast } from './cast.ts'
import { counting, countsOn, serverOn } from './daily-work.ts'
import { Viewer } from './viewer.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))

/** A node that is killed, and one that is upgraded. */
export async function restarts(drill: Drill, { operator, far }: Cast): Promise<void> {
  const params = await serverOn(operator, far, 'survivor', counting(20))
  await operator.send(startServer, { params, query: { wait: 'true' } })
  const { since } = await operator.send(getStatus, { params })
  const viewer = new Viewer(operator, params.id)
  await countsOn(viewer, 20)
  const goesOn = async () => {
    await until('calls pass', () => operator.send(getStatus, { params }).then(() => true))
    const now = await operator.send(getStatus, { params })
    if (now.since !== since) throw new Error(`the server runs since ${now.since}, before ${since}`)
    await countsOn(viewer, 100, 60_000)
  }

  await drill.show(
    'a node that is killed and started again has its servers, and their consoles miss nothing',
    async () => {
      await far.end('SIGKILL')
      await far.start()
      await goesOn()
    },
  )

  await drill.show('a node that is upgraded has its servers, and its page says the new version', async () => {
    const next = await newVersion('0.2.0')
    await far.end('SIGTERM')
    await far.start({}, next)
    await goesOn()
    const isNew = async () => {
      const { health } = await far.seenBy(operator)
      return health?.features?.version === '0.2.0' && health.problems.join() === 'otherVersion'
    }
    await until('its page says the version, and that it is another one than the panel', isNew)
  })

  await drill.show('and the other way back', async () => {
    await far.end('SIGTERM')
    await far.start()
    await goesOn()
    await far.untilSeen(operator, 'online')
  })
  viewer.close()
}

/** The program in another folder, as a new version of it. */
async function newVersion(version: string): Promise<string> {
  const folder = join(tmpdir(), 'next')
  for (const part of ['packages', 'templates', 'package.json'])
    await cp(join(repository, part), join(folder, part), { recursive: true, verbatimSymlinks: true })
  await mkdir(join(folder, 'node_modules/@innkeeper'), { recursive: true })
  // Its own packages are its own, what it brings along is the same.
  for (const name of await readdir(join(repository, 'node_modules')))
    if (name !== '@innkeeper') await symlink(join(repository, 'node_modules', name), join(folder, 'node_modules', name))
  for (const name of await readdir(join(folder, 'packages')))
    await symlink(join(folder, 'packages', name), join(folder, 'node_modules/@innkeeper', name))
  const about = join(folder, 'packages/cli/package.json')
  await writeFile(about, JSON.stringify({ ...(JSON.parse(await readFile(about, 'utf8')) as object), version }))
  return folder
}
