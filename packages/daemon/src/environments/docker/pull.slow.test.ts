import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { getStatus, installServer, killServer, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { expect, test, vi } from 'vitest'
import { TestNode } from '../../testing/daemon.ts'
import { imageTar, TestEngine } from '../../testing/engine.ts'
import { startWebHost, type WebHost } from '../../testing/web-host.ts'

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }
const anyContainer = fileURLToPath(
  new URL('../../../../../templates/generic-docker/generic-docker.json', import.meta.url),
)

test('an image that the engine does not have is pulled once', { timeout: 40_000 }, async () => {
  await using host = await startWebHost()
  await using engine = await TestEngine.create()
  await using node = await TestNode.start({ dockerSocket: engine.socketPath })
  await offer(host, 'game', '2')
  const environment = { type: 'docker', image: `${host.address}/game:\${version}` }
  await node.client.create(id, { command: 'echo fetched' }, { environment, data: { version: { value: 2 } } })
  const watcher = await node.client.watch(id)

  for (const times of [1, 2]) {
    await node.client.send(startServer, { params, query: wait })
    await watcher.until('the end', ({ text }) => text.match(/exited with code 0\n/g)?.length === times)
  }

  expect(watcher.text.match(/Downloading image for container, please wait: .*\/game:2\n/g)).toHaveLength(1)
  expect(watcher.text.match(/Downloaded image for container/g)).toHaveLength(1)
  expect(watcher.text.match(/\nfetched\r\n/g)).toHaveLength(2)
})

test('a dockerpull step pulls an image again', { timeout: 40_000 }, async () => {
  await using host = await startWebHost()
  await using engine = await TestEngine.create()
  await using node = await TestNode.start({ dockerSocket: engine.socketPath })
  await offer(host, 'game', '2')
  const environment = { type: 'docker', image: `${host.address}/game:2` }
  const install = [{ type: 'dockerpull' }, { type: 'dockerpull', imageName: `${host.address}/game:2` }]
  await node.client.create(id, { command: 'echo fetched' }, { environment, install })
  const watcher = await node.client.watch(id)

  const { status } = await node.client.send(installServer, { params, query: wait })

  expect(status).toBe(204)
  const messages = () => watcher.text.match(/Downloading image for container, please wait: .*\/game:2\n/g)
  await vi.waitFor(() => expect(messages()).toHaveLength(2))
})

test('the template for any container pulls its image, starts and stops', { timeout: 40_000 }, async () => {
  await using host = await startWebHost()
  await using engine = await TestEngine.create()
  await using node = await TestNode.start({ dockerSocket: engine.socketPath })
  await offer(host, 'game', '2')
  const { data, environment, ...template } = JSON.parse(await readFile(anyContainer, 'utf8'))
  const values = { ...data, image: { ...data.image, value: `${host.address}/game:2` } }
  // The engine of the tests has no networks.
  const alone = { ...environment, networkMode: 'none', portBindings: [] }
  await node.client.create(id, template.run, { ...template, data: values, environment: alone })
  const watcher = await node.client.watch(id)

  const { status } = await node.client.send(installServer, { params, query: wait })
  await node.client.send(startServer, { params, query: wait })
  await watcher.untilText('Ready')
  watcher.send({ type: 'console', command: 'hello' })
  await watcher.untilText('You typed: hello')
  await node.client.send(stopServer, { params, query: wait })

  expect(status, watcher.text).toBe(204)
  expect(watcher.text).toContain('Downloaded image for container')
  expect((await node.client.send(getStatus, { params })).body.running).toBe(false)
})

test('a kill aborts the pull of an image', { timeout: 40_000 }, async () => {
  await using host = await startWebHost()
  await using engine = await TestEngine.create()
  await using node = await TestNode.start({ dockerSocket: engine.socketPath })
  host.answer('/v2/', () => {})
  await node.client.create(
    id,
    { command: 'true' },
    { environment: { type: 'docker', image: `${host.address}/game:1` } },
  )
  const watcher = await node.client.watch(id)
  const starting = node.client.send(startServer, { params, query: wait })
  await watcher.untilText('Downloading image')

  await node.client.send(killServer, { params, query: wait })

  expect((await starting).status).toBeGreaterThanOrEqual(400)
  expect((await node.client.send(getStatus, { params })).body.state).toBe('offline')
})

/** Lets a host serve an image of one layer, like a registry. */
async function offer(host: WebHost, name: string, tag: string): Promise<void> {
  await using image = await imageTar()
  const tar = await readFile(image.path)
  const layer = gzipSync(tar)
  const config = Buffer.from(
    JSON.stringify({
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: {},
      rootfs: { type: 'layers', diff_ids: [getDigest(tar)] },
    }),
  )
  const type = (what: string) => `application/vnd.docker.${what}`
  const described = (mediaType: string, bytes: Buffer) => ({ mediaType, size: bytes.length, digest: getDigest(bytes) })
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: type('distribution.manifest.v2+json'),
      config: described(type('container.image.v1+json'), config),
      layers: [described(type('image.rootfs.diff.tar.gzip'), layer)],
    }),
  )
  const give = (path: string, bytes: Buffer, contentType: string) =>
    host.answer(path, (_, response) => {
      response.writeHead(200, {
        'content-type': contentType,
        'content-length': bytes.length,
        'docker-content-digest': getDigest(bytes),
      })
      response.end(bytes)
    })
  give('/v2/', Buffer.from('{}'), 'application/json')
  for (const reference of [tag, getDigest(manifest)])
    give(`/v2/${name}/manifests/${reference}`, manifest, type('distribution.manifest.v2+json'))
  for (const blob of [config, layer]) give(`/v2/${name}/blobs/${getDigest(blob)}`, blob, 'application/octet-stream')
}

function getDigest(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
