import { existsSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { Uploads } from './uploads.ts'

test('closing waits for a clean-up in progress', async () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'innkeeper-uploads-'))
  const ofRemovedServer = join(dir.path, 'uploads', '0a0a0a0a')
  mkdirSync(ofRemovedServer, { recursive: true })
  writeFileSync(join(ofRemovedServer, 'upload'), 'bytes')
  const uploads = new Uploads({
    dataDir: dir.path,
    servers: { find: () => undefined, get: () => expect.unreachable() },
    log: pino({ level: 'silent' }),
  })

  await uploads.close()

  expect(existsSync(ofRemovedServer)).toBe(false)
})
