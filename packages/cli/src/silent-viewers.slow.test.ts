import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@innkeeper/contract/limits'
import { createServer } from '@innkeeper/contract/servers'
import { expect, test } from 'vitest'
import { Inn } from './testing/inn.ts'

const mebibyte = 1024 ** 2

/** Opens a live socket, and reads nothing after the handshake. */
async function silentSocket(inn: Inn, id: string): Promise<Socket> {
  const socket = connect(inn.port, '127.0.0.1')
  socket.write(
    `GET /proxy/daemon/socket/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${inn.token}\r\n` +
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n',
  )
  const [head] = (await once(socket, 'data')) as [Buffer]
  expect(head.toString('latin1')).toContain('101 Switching Protocols')
  socket.pause()
  return socket
}

/** A text frame of a client; a mask of zeros leaves the text as it is. */
function frameOf(message: object): Buffer {
  const text = Buffer.from(JSON.stringify(message))
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text])
}

test.each([
  ['a file that is too large to be sent', limits.editableFileBytes, 64],
  // One answer is on its way at a time; what is measured is what the runtime has not collected yet.
  ['the largest file that is sent', limits.liveContentsBytes, 128],
])('30 viewers that ask for %s and do not read cost bounded memory', { timeout: 120_000 }, async (_, size, most) => {
  await using inn = await Inn.open()
  const definition = { name: 'lobby', node: 0, type: 'test', run: {}, data: {} }
  const { id } = await inn.send(createServer, { body: definition } as never)
  const folder = join(inn.folder, 'data', 'servers', id)
  await writeFile(join(folder, 'file.bin'), Buffer.alloc(size))
  const sockets = await Promise.all(Array.from({ length: 30 }, () => silentSocket(inn, id)))
  const before = inn.residentBytes

  for (const socket of sockets)
    for (let times = 0; times < 4; times++)
      socket.write(frameOf({ type: 'file', action: 'get', path: '/file.bin', edit: true }))
  let growth = 0
  for (let at = 0; at < 100; at++) {
    growth = Math.max(growth, inn.residentBytes - before)
    await pause(100)
  }

  for (const socket of sockets) socket.destroy()
  expect(growth / mebibyte).toBeLessThan(most)
})
