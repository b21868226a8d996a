import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KeeperFixture, startReading } from '../testing/keepers.ts'

const terminal = { cols: 80, rows: 24 }
const game = `trap 'echo saving; sleep 0.3; echo saved >> saved; exit 0' INT TERM
echo up
while :; do sleep 0.05; done`

/** A script in a folder of its own, without control groups: processes are found by session, parent and marker. */
function scriptPlan(script: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'innkeeper-stop-'))
  writeFileSync(join(cwd, 'game.sh'), game)
  writeFileSync(join(cwd, 'start.sh'), script)
  const plan = { key: 'a/main', file: '/bin/bash', args: ['start.sh'], cwd, env: { PATH: '/usr/bin:/bin' } }
  return { plan, saved: () => readFileSync(join(cwd, 'saved'), 'utf8') }
}

test.for([
  ['on pipes', 'bash game.sh; true', undefined],
  ['in a terminal', 'bash game.sh; true', terminal],
  ['in a session of its own', 'setsid --wait bash game.sh; true', undefined],
  ['in a terminal that another program holds', "script -qec 'bash game.sh' /dev/null", undefined],
  ['in a terminal that the first process holds', "exec script -qec 'bash game.sh' /dev/null", undefined],
  ['without its parent', '(setsid bash game.sh &); sleep 60', terminal],
] as const)('without control groups a stop signal reaches a program behind a script: %s', async ([, script, size]) => {
  await using fixture = await KeeperFixture.create()
  const { plan, saved } = scriptPlan(script)
  const { run, out } = await startReading(await fixture.open(), plan, size)
  await out.until(/up/)

  run.stop({ signal: 15, deadline: performance.now() + 20_000 })

  await run.exited
  expect(saved()).toBe('saved\n')
})

test('a process that ignores the signal is waited for until the deadline', async () => {
  await using fixture = await KeeperFixture.create()
  const { plan } = scriptPlan("(trap '' TERM; echo up; exec sleep 60) & trap 'exit 4' TERM; wait")
  const { run, out } = await startReading(await fixture.open(), plan)
  const notices: string[] = []
  run.onNotice?.((message) => notices.push(message))
  await out.until(/up/)

  run.stop({ signal: 15, deadline: performance.now() + 2_000 })

  expect(await run.exited).toEqual({ code: 4, signal: null })
  expect(notices).toEqual([
    expect.stringMatching(/^Still running: sleep\. Waiting for them to end, for at most \d s$/),
    'Killed what had not ended in the stop time: sleep',
  ])
  await run.kill()
})
