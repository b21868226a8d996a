import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { killServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { expect, test, vi } from 'vitest'
import { BackupServer, getRestic, slowWait } from '../testing/backup-server.ts'
import { TestNode } from '../testing/daemon.ts'

const kills = 50
/** A job takes about this long on a quiet machine. */
const longestMs = 2_500
const wait = { wait: true }
const names = Array.from({ length: 200 }, (_, at) => `world/${at}`)

/** How often the server received a line. */
function count(text: string, line: string): number {
  return text.split(`echo: ${line}\n`).length - 1
}

test(`the daemon or restic is killed at ${kills} random moments: no backup and no file is lost, and no server stays paused`, {
  timeout: 900_000,
}, async () => {
  await using node = await TestNode.start({ apart: true })
  const server = new BackupServer(node)
  const { params } = server
  const backup = { before: ['save-off'], waitFor: 'save-off', after: ['save-on'], timeout: 20 }
  await server.create('echo', { backup })
  const write = (text: string) => {
    for (const name of names) server.write(name, `${text} of ${name}`)
  }
  const isWhole = (text: string) => names.every((name) => server.read(name) === `${text} of ${name}`)
  write('first')
  const good = await server.backUp('good')
  await node.client.send(startServer, { params, query: wait })

  for (let at = 0; at < kills; at++) {
    const isRestore = at % 5 === 4
    const current = `round ${at}`
    write(current)
    if (isRestore) await server.startRestore(good)
    else await server.start(current)
    await pause(Math.random() * longestMs)
    const restic = getRestic(node.pid)
    if (at % 2 === 0) for (const pid of restic) process.kill(pid, 'SIGKILL')
    else {
      await node.kill()
      await node.start()
    }

    await vi.waitFor(async () => {
      const jobs = await server.jobs()
      expect(jobs.filter(({ state }) => state === 'running' || state === 'waiting')).toEqual([])
    }, slowWait)
    expect(isWhole(current) || (isRestore && isWhole('first')), `round ${at}: the files are of one state`).toBe(true)
  }

  // A restore starts the server again.
  const watcher = await node.client.watch(server.id)
  await vi.waitFor(() => {
    watcher.send({ type: 'console', command: 'end' })
    expect(watcher.text).toContain('echo: end')
  }, slowWait)
  const last = watcher.text.slice(watcher.text.lastIndexOf('ready'))
  expect(last.lastIndexOf('echo: save-on')).toBeGreaterThanOrEqual(last.lastIndexOf('echo: save-off'))
  expect(count(last, 'save-on')).toBeGreaterThanOrEqual(count(last, 'save-off'))
  await node.client.send(killServer, { params, query: wait })
  for (const one of await server.list()) {
    expect((await server.restore(one)).state).toBe('done')
    expect(names.map((name) => server.read(name)?.split(' of ')[0])).toEqual(
      Array(names.length).fill(server.read('world/0')?.split(' of ')[0]),
    )
  }
  const repository = join(node.dataDir, 'backups', 'repository')
  const env = { ...process.env, RESTIC_PASSWORD: readFileSync(join(node.dataDir, 'backups', 'key'), 'utf8') }
  execFileSync('restic', ['--repo', repository, '--no-cache', 'unlock'], { env })
  expect(String(execFileSync('restic', ['--repo', repository, '--no-cache', 'check'], { env }))).toContain(
    'no errors were found',
  )
})
