import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bareDatabase } from '@innkeeper/panel/testing/databases'
import { expect, test } from 'vitest'
import { freePort } from './testing/free-port.ts'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))
const admin = { email: 'mara@example.net', username: 'mara', password: 'a lantern at night' }

/** A panel in a separate process. */
class PanelProcess implements AsyncDisposable {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(url: string, child: ChildProcess) {
    this.url = url
    this.#child = child
  }

  static async start(folder: string, databaseUrl: string): Promise<PanelProcess> {
    const port = await freePort()
    const child = spawn(process.execPath, [main, 'run'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: '/usr/bin:/bin',
        INNKEEPER_ROLE: 'panel',
        INNKEEPER_DATA_DIR: join(folder, String(port)),
        INNKEEPER_DATABASE_URL: databaseUrl,
        INNKEEPER_HOST: '127.0.0.1',
        INNKEEPER_PORT: String(port),
        INNKEEPER_ADMIN_EMAIL: admin.email,
        INNKEEPER_ADMIN_USERNAME: admin.username,
        INNKEEPER_ADMIN_PASSWORD: admin.password,
      },
    })
    let output = ''
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (part: Buffer) => {
          output += part
          if (output.includes(' is at http')) resolve()
        })
      }
      child.once('exit', (code) => reject(new Error(`the panel ended with code ${code}:\n${output}`)))
    })
    return new PanelProcess(`http://127.0.0.1:${port}`, child)
  }

  async ask(method: string, path: string, { token, body }: { token?: string; body?: object } = {}): Promise<Response> {
    const headers: Record<string, string> = {}
    if (token) headers.authorization = `Bearer ${token}`
    if (body) headers['content-type'] = 'application/json'
    return fetch(this.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await exited
  }
}

test('two panel processes that start concurrently on one database share users, and a revoked session ends on the other within 2 s', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-two-'))
  const database = await bareDatabase(folder)
  const started = await Promise.all([PanelProcess.start(folder, database), PanelProcess.start(folder, database)])
  await using first = started[0]
  await using second = started[1]
  const { email, password } = admin
  const answer = await first.ask('POST', '/auth/login', { body: { email, password } })
  const { session: token } = (await answer.json()) as { session: string }
  expect((await first.ask('GET', '/api/self', { token })).status).toBe(200)
  expect((await second.ask('GET', '/api/self', { token })).status).toBe(200)

  expect((await second.ask('POST', '/auth/logout', { token })).status).toBe(204)

  const before = performance.now()
  await expect.poll(async () => (await first.ask('GET', '/api/self', { token })).status, { timeout: 10_000 }).toBe(401)
  expect(performance.now() - before).toBeLessThan(2_000)
  await rm(folder, { recursive: true, force: true })
})
