import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { stateFile } from './state-file.ts'

test('a state saved before ready patterns existed is ready', () => {
  const dir = mkdtempSync(join(tmpdir(), 'innkeeper-state-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, '0a0a0a0a.json')
  writeFileSync(path, '{"state":{"is":"online","crashes":1},"since":"2026-01-01T00:00:00.000Z"}')

  expect(stateFile(path).load()).toEqual({
    state: { is: 'online', crashes: 1, isReady: true },
    since: '2026-01-01T00:00:00.000Z',
  })
})
