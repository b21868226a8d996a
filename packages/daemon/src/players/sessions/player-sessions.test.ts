import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { PlayerSessions, sessionsKeptMs } from './player-sessions.ts'

const log = pino({ level: 'silent' })
const id = '0a0a0a0a'

function testDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'innkeeper-players-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

function open(dir: string): PlayerSessions {
  const sessions = new PlayerSessions({ dir, id, log })
  onTestFinished(() => sessions.close())
  return sessions
}

const enter = (sessions: PlayerSessions, name: string, run = 'a') => sessions.addLine(run, 'join', { name })
const leave = (sessions: PlayerSessions, name: string) => sessions.addLine('a', 'leave', { name })
const getNames = (list: readonly { name: string }[]) => list.map(({ name }) => name)

test('sessions survive a kill, and go on while the process of the server does', async () => {
  const dir = testDirectory()
  const killed = open(dir)
  killed.begin('a')
  for (const name of ['Ann', 'Ben']) enter(killed, name)
  leave(killed, 'Ben')
  await killed.readEnded()
  const [ann] = killed.online

  const again = open(dir)
  again.begin('a')

  expect(again.online).toEqual([ann])
  expect(getNames(await again.readEnded())).toEqual(['Ben'])
})

test.for([
  ['another process runs', (sessions: PlayerSessions) => sessions.begin('b')],
  ['none runs', (sessions: PlayerSessions) => sessions.end()],
] as const)('what was open ends when it was last known when %s after a kill', async ([, resume]) => {
  const dir = testDirectory()
  const killed = open(dir)
  killed.begin('a')
  enter(killed, 'Ann')
  await killed.readEnded()
  const path = join(dir, `${id}.online`)
  const saved = JSON.parse(readFileSync(path, 'utf8'))
  const since = saved.open[0].since
  writeFileSync(path, JSON.stringify({ ...saved, at: since + 5 }))

  const again = open(dir)
  resume(again)

  expect(again.online).toEqual([])
  expect(await again.readEnded()).toEqual([{ name: 'Ann', since, until: since + 5 }])
  expect(existsSync(path)).toBe(false)
})

test('a session that was written twice because of a kill is one', async () => {
  const dir = testDirectory()
  const since = Date.now() - 1_000
  for (const until of [since + 1, since + 2])
    appendFileSync(join(dir, `${id}.sessions`), `${JSON.stringify({ name: 'Ann', since, until })}\n`)

  expect(await open(dir).readEnded()).toEqual([{ name: 'Ann', since, until: since + 2 }])
})

test('names are one line of limited length, and lines of an earlier process are ignored', () => {
  const sessions = open(testDirectory())
  sessions.begin('a')
  enter(sessions, `a\x1b[2J\u202e\n${'x'.repeat(500)}`)
  enter(sessions, ' \x07 ')
  enter(sessions, 'Eve', 'b')

  const [only, ...others] = sessions.online

  expect(others).toEqual([])
  expect(only?.name).toMatch(/^a \[2J x{93}…$/)
})

test('a list of a game that names only a few ends no session', () => {
  const sessions = open(testDirectory())
  const players = { online: 2, max: 8, names: [{ name: 'Ann' }, { name: 'Ben' }] }
  sessions.addStatus({ players, answeredMs: 1 })
  sessions.begin('a')
  sessions.addStatus({ players, answeredMs: 1 })
  sessions.addStatus({ players: { ...players, names: [{ name: 'Ann' }] }, answeredMs: 1 })
  sessions.addStatus({ players: { online: 2, max: 8 }, answeredMs: 1 })
  expect(getNames(sessions.online)).toEqual(['Ben', 'Ann'])

  sessions.addStatus({ players: { ...players, online: 1, names: [{ name: 'Ann' }] }, answeredMs: 1 })

  expect(getNames(sessions.online)).toEqual(['Ann'])
})

test('the sessions of a name are deleted, also on disk, and then all', async () => {
  const dir = testDirectory()
  const sessions = open(dir)
  sessions.begin('a')
  for (const name of ['Ann', 'Ben', 'Ann']) {
    enter(sessions, name)
    leave(sessions, name)
  }
  enter(sessions, 'Ann')

  await sessions.forget('Ann')
  const files = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'))

  expect(getNames(await sessions.readEnded())).toEqual(['Ben'])
  expect(sessions.online).toEqual([])
  expect(files.join()).not.toContain('Ann')

  await sessions.forgetAll()

  expect(await open(dir).readEnded()).toEqual([])
})

test('sessions of more than a year ago are not returned, and are deleted', async () => {
  const dir = testDirectory()
  const path = join(dir, `${id}.sessions`)
  const old = Date.now() - sessionsKeptMs - 1_000
  const lines = [old, Date.now()].map((until) => JSON.stringify({ name: `n${until}`, since: old - 5, until }))
  appendFileSync(path, `${lines.join('\n')}\n`)
  const sessions = open(dir)
  expect(await sessions.readEnded()).toHaveLength(1)

  await sessions.expire()

  expect(readFileSync(path, 'utf8')).toBe(`${lines[1]}\n`)
})

test('nothing is left of a removed server', async () => {
  const dir = testDirectory()
  const sessions = open(dir)
  sessions.begin('a')
  for (const name of ['Ann', 'Ben']) enter(sessions, name)
  leave(sessions, 'Ann')
  await sessions.close()
  expect(readdirSync(dir)).toHaveLength(2)

  await sessions.remove()

  expect(readdirSync(dir)).toEqual([])
})
