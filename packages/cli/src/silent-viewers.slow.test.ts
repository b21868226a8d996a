import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { limits } from '@innkeeper/contract/text/limits'
import { maxLiveFileBytes } from '@innkeeper/daemon/http/live/file-messages'
import { expect, test } from 'vitest'
import { TestInstallation } from './testing/test-installation.ts'

const mebibyte = 1024 ** 2

/** Opens a live socket, and reads nothing after the handshake. */
async function silentSocket(installation: TestInstallation, id: string): Promise<Socket> {
  const socket = connect(installation.port, '127.0.0.1')
  socket.write(
    `GET /proxy/daemon/socket/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${installation.token}\r\n` +
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n',
  )
  const [head] = (await once(socket, 'data')) as [Buffer]
  expect(head.toString('latin1')).toContain('101 Switching Protocols')
  socket.pause()
  return socket
}

/** A text frame of a client; a mask of zeros leaves the text unchanged. */
function getFrame(message: object): Buffer {
  const text = Buffer.from(JSON.stringify(message))
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text])
}

test.each([
  ['a file that is too large to be sent', limits.editableFileBytes, 64],
  // One response is sent at a time; the memory includes garbage that is not collected yet.
  ['the largest file that is sent', maxLiveFileBytes, 128],
])('30 viewers that request %s and do not read use bounded memory', { timeout: 120_000 }, async (_, size, maxBytes) => {
  await using installation = await TestInstallation.start()
  const definition = { name: 'lobby', node: 0, type: 'test', run: {}, data: {} }
  const { id } = await installation.send(createServer, { body: definition } as never)
  const folder = join(installation.folder, 'data', 'servers', id)
  await writeFile(join(folder, 'file.bin'), Buffer.alloc(size))
  const sockets = await Promise.all(Array.from({ length: 30 }, () => silentSocket(installation, id)))
  const before = installation.residentBytes

  for (const socket of sockets)
    for (let times = 0; times < 4; times++)
      socket.write(getFrame({ type: 'file', action: 'get', path: '/file.bin', edit: true }))
  let growth = 0
  for (let at = 0; at < 100; at++) {
    growth = Math.max(growth, installation.residentBytes - before)
    await pause(100)
  }

  for (const socket of sockets) socket.destroy()
  expect(growth / mebibyte).toBeLessThan(maxBytes)
})
