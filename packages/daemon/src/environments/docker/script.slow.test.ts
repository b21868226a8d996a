import { existsSync, linkSync, lstatSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getStatus, installServer, killServer } from '@innkeeper/contract/servers/node-servers'
import { expect, vi } from 'vitest'
import { id, params, readContainers, slowWait, wait } from '../../testing/containers.ts'
import type { TestNode } from '../../testing/daemon.ts'
import { TestEngine, testImage } from '../../testing/engine.ts'
import { testWithEngine } from '../../testing/engine-test.ts'

const image = 'innkeeper/installer:1'

for (const [name, create] of [
  ['Docker', () => TestEngine.create()],
  ['Podman', () => TestEngine.createPodman()],
] as const) {
  const test = testWithEngine(async () => {
    const engine = await create()
    await engine.buildImage(image, { other: 'echo "the entry point of the image"' }, [
      'ENTRYPOINT ["/other"]',
      'VOLUME /declared',
    ])
    return engine
  })

  test(`${name}: a script runs as root of its own container, and the server owns what it leaves`, async ({
    engine,
    startNode,
  }) => {
    await using node = await startNode()
    const script = `set -e
echo "uid $(id -u) in $(pwd) runs $0 with $GREETING, $AT, $STARTUP"
grep -E "^(NoNewPrivs|CapEff)" /proc/self/status
mkdir -p /mnt/server/game/data /usr/local/lib
echo tool > /usr/local/lib/tool; chown 33:33 /usr/local/lib/tool
echo game > /mnt/server/game/data/level; chown -R 998:998 /mnt/server/game
ln -s ${node.dataDir}/outside /mnt/server/link; ln -s .. /mnt/server/game/up
chmod 4755 /mnt/server/game/data/level
echo written > /mnt/install/install.sh || echo "script is read-only"`
    const outside = join(node.dataDir, 'outside')
    writeFileSync(outside, 'x')
    const folder = await created(node, { image, script })
    // A file of another user that has a second name here.
    linkSync(outside, join(folder, 'hard'))
    const watcher = await node.client.watch(id)

    const { body } = await node.client.send(installServer, { params, query: wait })

    expect(body?.error).toBeUndefined()
    await watcher.untilText('script is read-only')
    expect(watcher.text).toContain(
      'uid 0 in /mnt/server runs /mnt/install/install.sh with hi 7, /mnt/server, run {{X}}',
    )
    expect(watcher.text).toMatch(/NoNewPrivs:\s+1/)
    expect(watcher.text).not.toContain('the entry point of the image')
    const { uid } = lstatSync(folder)
    expect(uid).toBeGreaterThan(0)
    for (const path of ['game', 'game/data', 'game/data/level', 'link', 'game/up'])
      expect([path, lstatSync(join(folder, path)).uid]).toEqual([path, uid])
    expect(lstatSync(join(folder, 'game/data/level')).mode & 0o6000).toBe(0)
    expect([lstatSync(outside).uid, lstatSync(join(folder, 'hard')).uid]).toEqual([0, 0])
    expect(readdirSync(folder).toSorted()).toEqual(['game', 'hard', 'link'])
    await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
    await vi.waitFor(() => expect(getScripts(node)).toEqual([]), slowWait)
  })

  test(`${name}: a script that fails fails the installation, and the server owns its files`, async ({ startNode }) => {
    await using node = await startNode()
    const folder = await created(node, { image, script: 'echo half > half; echo "will fail"; exit 7' })
    const watcher = await node.client.watch(id)

    const { body } = await node.client.send(installServer, { params, query: wait })

    const reason = expect.stringContaining('7')
    expect(body.error).toMatchObject({ code: 'ErrStepFailed', metadata: { type: 'dockerrun', reason } })
    await watcher.untilText('will fail')
    expect(watcher.text).not.toContain('Server installed')
    expect(lstatSync(join(folder, 'half')).uid).toBe(lstatSync(folder).uid)
  })

  test(`${name}: a daemon that is not root lets a container change the owner`, async ({ engine, startNode }) => {
    await using node = await startNode()
    const outside = join(node.dataDir, 'outside')
    writeFileSync(outside, 'x')
    const script = `mkdir deep; touch deep/file; ln -s ${outside} link; chown -h 5:5 link deep/file`
    const folder = await created(node, { image, script })
    const getuid = vi.spyOn(process, 'getuid').mockReturnValue(1000)

    const { body } = await node.client.send(installServer, { params, query: wait })
    getuid.mockRestore()

    expect(body?.error).toBeUndefined()
    const { uid } = lstatSync(folder)
    for (const path of ['deep', 'deep/file', 'link'])
      expect([path, lstatSync(join(folder, path)).uid]).toEqual([path, uid])
    expect([uid > 0, lstatSync(outside).uid]).toEqual([true, 0])
    await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
  })

  test(`${name}: a script ends at its time limit, and when the installation is cancelled`, async ({
    engine,
    startNode,
  }) => {
    await using node = await startNode()
    const script = 'trap "" TERM; touch begun; echo begun; while :; do sleep 1; done'
    const folder = await created(node, { image, script, timeout: 2 })

    const { body } = await node.client.send(installServer, { params, query: wait })

    const reason = expect.stringContaining('did not end within 2 seconds')
    expect(body.error).toMatchObject({ code: 'ErrStepFailed', metadata: { reason } })
    expect(lstatSync(join(folder, 'begun')).uid).toBe(lstatSync(folder).uid)

    const [other, otherParams] = ['0b0b0b0b', { id: '0b0b0b0b' }]
    const second = await created(node, { image, script }, other)
    const watcher = await node.client.watch(other)
    await node.client.send(installServer, { params: otherParams })
    await watcher.untilText('\nbegun')
    await node.client.send(killServer, { params: otherParams, query: wait })

    await vi.waitFor(async () => {
      expect((await node.client.send(getStatus, { params: otherParams })).body.state).toBe('offline')
      expect(await readContainers(node, engine)).toEqual([])
    }, slowWait)
    expect(lstatSync(join(second, 'begun')).uid).toBe(lstatSync(second).uid)
  })

  for (const place of ['large', 'declared/large'])
    test(`${name}: a script that writes too much outside of the folder (/${place}) is ended with a reason`, async ({
      engine,
      startNode,
    }) => {
      await using node = await startNode()
      const script = `touch begun; dd if=/dev/zero of=/${place} bs=1M count=1100; while :; do sleep 1; done`
      const folder = await created(node, { image, script })
      const watcher = await node.client.watch(id)

      const { body } = await node.client.send(installServer, { params, query: wait })

      const reason = 'the script wrote more than 1024 MiB in its container, outside of the folder of the server'
      expect(body.error).toMatchObject({ code: 'ErrStepFailed', metadata: { reason: expect.stringContaining(reason) } })
      await watcher.untilText(reason)
      expect(lstatSync(join(folder, 'begun')).uid).toBe(lstatSync(folder).uid)
      await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
    })

  test(`${name}: a script that a crash of the daemon interrupts is ended, and the server owns its files`, async ({
    engine,
    startNode,
  }) => {
    await using node = await startNode({ apart: true })
    const folder = await created(node, { image, script: 'touch begun; echo begun; while :; do sleep 1; done' })
    const watcher = await node.client.watch(id)
    await node.client.send(installServer, { params })
    await watcher.untilText('\nbegun')

    await node.kill()
    expect(lstatSync(join(folder, 'begun')).uid).toBe(0)
    await node.start()

    await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
    await vi.waitFor(() => expect(lstatSync(join(folder, 'begun')).uid).toBe(lstatSync(folder).uid), slowWait)
    await vi.waitFor(() => expect(getScripts(node)).toEqual([]), slowWait)
  })
}

async function created(node: TestNode, step: object, server = id): Promise<string> {
  const install = [{ type: 'dockerrun', entrypoint: 'ash', ...step }]
  const environmentVars = { GREETING: 'hi ${number}', AT: '${rootDir}' }
  const run = { command: 'run {{X}}', environmentVars }
  const limits = { disk: 100 }
  const environment = { type: 'docker', image: testImage, networkMode: 'none', commandAs: 'variable', limits }
  await node.client.create(server, run, { environment, install, data: { number: { value: 7 } } })
  return join(node.dataDir, 'servers', server)
}

function getScripts(node: TestNode): string[] {
  const folder = join(node.dataDir, 'docker/scripts')
  return existsSync(folder) ? readdirSync(folder) : []
}
