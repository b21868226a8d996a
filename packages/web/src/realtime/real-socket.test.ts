import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { closeCodes } from '@innkeeper/contract/servers/live'
import { afterEach, expect, test, vi } from 'vitest'
import { WebSocket as Client, WebSocketServer } from 'ws'
import { ReconnectingSocket, type Socket } from './reconnecting-socket.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

test('over a real socket it sends queued messages, receives the answer, reconnects and stops after a revocation', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  closing.push(() => server.close())
  await once(server, 'listening')
  const heard: string[] = []
  let connections = 0
  server.on('connection', (socket) => {
    connections++
    socket.on('message', (data) => {
      heard.push(String(data))
      socket.send('{"type":"status","data":{"running":true,"installing":false,"state":"online","since":"2026-11-20"}}')
    })
  })
  const messages: string[] = []
  const live = new ReconnectingSocket({
    // The same interface as a browser's, over a real connection.
    open: () => new Client(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`) as unknown as Socket,
    onMessage: (message) => messages.push(message.type),
    onChange: () => {},
    onUnsent: () => {},
  })
  closing.push(() => live.close())

  live.send({ type: 'status' })
  await vi.waitFor(() => expect(messages).toEqual(['status']))
  for (const socket of server.clients) socket.terminate()
  await vi.waitFor(() => expect(connections).toBe(2), { timeout: 5_000 })
  await vi.waitFor(() => expect(live.connection.status).toBe('open'))
  for (const socket of server.clients) socket.close(closeCodes.revoked)
  await vi.waitFor(() => expect(live.connection).toEqual({ status: 'ended', because: 'revoked' }))

  expect(heard).toEqual(['{"type":"status"}'])
})
