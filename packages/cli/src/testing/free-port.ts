import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port that a program can be told to listen on. It lies below those that the system gives to outgoing connections:
 * one of them could be taken between now and then.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
