import { existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { sendCommand, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { expect, vi } from 'vitest'
import { id, params, readContainers, slowWait, talker, wait } from '../../testing/containers.ts'
import type { TestNode } from '../../testing/daemon.ts'
import { TestEngine } from '../../testing/engine.ts'
import { testWithEngine } from '../../testing/engine-test.ts'

const image = 'innkeeper/own:1'

/** Evaluates STARTUP as the images of eggs do. */
const entry = `cd /home/container
echo "in $(pwd) with $# arguments: $* as $(id -u)"
command=$(echo "$STARTUP" | sed -e 's/{{/\${/g' -e 's/}}/}/g')
eval "echo \\": $command\\""
eval "$command"`

for (const [name, create] of [
  ['Docker', () => TestEngine.create()],
  ['Podman', () => TestEngine.createPodman()],
] as const) {
  const test = testWithEngine(async () => {
    const engine = await create()
    await engine.buildImage(image, { 'entry.sh': entry, 'talk.sh': talker }, [
      'ENV HOME=/image/home FROM_IMAGE=yes',
      'ENTRYPOINT ["/entry.sh"]',
      'CMD ["the", "default"]',
    ])
    await engine.buildImage('innkeeper/tini:1', { tini: `echo "first is $$"; exec "$@"`, 'talk.sh': talker }, [
      'ENTRYPOINT ["/tini"]',
      'CMD ["/talk.sh"]',
    ])
    return engine
  })

  test(`${name}: the entry point of an image runs the start command as in other panels`, async ({
    engine,
    startNode,
  }) => {
    await using node = await startNode()
    const command = 'touch /root-file; echo x > /tmp/a && /tmp/b; echo {{GREETING}} ${PORT} $((1+1)); cat'
    const environment = {
      image,
      commandAs: 'variable',
      containerRoot: '/home/container',
      readOnlyRoot: true,
      tmpfs: { '/tmp': '1m' },
      limits: { memory: 64 },
    }
    const watcher = await startedWith(node, {
      environment,
      run: { command, stop: 'x', environmentVars: { GREETING: 'hello', PORT: '${port}', ROOT: '${rootDir}' } },
      data: { port: { value: 25_565 } },
    })
    await watcher.untilText('hello 25565 2')

    expect(watcher.text).toContain('in /home/container with 2 arguments: the default as ')
    expect(watcher.text).toMatch(/touch: \/root-file: Read-only file system/)
    expect(watcher.text).not.toMatch(/as 0\b/)
    const { Config, HostConfig } = await inspect(node, engine)
    expect(Config.Env).toEqual(
      expect.arrayContaining([`STARTUP=${command}`, 'HOME=/home/container', 'ROOT=/home/container', 'FROM_IMAGE=yes']),
    )
    expect(HostConfig).toMatchObject({ ReadonlyRootfs: true, Memory: 74 * 1024 ** 2 })
  })

  test(`${name}: an empty command is that of the image, others can be arguments of its entry point`, async ({
    startNode,
  }) => {
    await using node = await startNode()
    const environment = { image, containerRoot: '/home/container' }
    const run = { command: '', environmentVars: { STARTUP: 'cat' } }
    const watcher = await startedWith(node, { environment, run })
    await watcher.untilText('with 2 arguments: the default as ')

    const other = '0b0b0b0b'
    const asArguments = { environment: { ...environment, commandAs: 'arguments' } }
    const withArguments = { ...asArguments, run: { ...run, command: 'one "two ${serverId}" three' } }
    const second = await startedWith(node, withArguments, other)

    await second.untilText(`with 3 arguments: one two ${other} three as `)
  })

  test(`${name}: an image with an init program of its own gets no other one`, async ({ startNode }) => {
    await using node = await startNode()
    const watcher = await startedWith(node, { environment: { image: 'innkeeper/tini:1' }, run: { stop: 'stop' } })
    await watcher.untilText('ready')
    await node.client.send(sendCommand, { params, body: 'there' })
    await watcher.untilText('heard: there')

    await node.client.send(stopServer, { params, query: wait })

    await watcher.untilText('Server exited with code 3')
    expect(watcher.text).toContain('first is 1\r\n')
  })

  test(`${name}: folders of the server are in several places, some of them read-only`, async ({ startNode }) => {
    await using node = await startNode()
    const shared = join(node.dataDir, 'shared')
    mkdirSync(shared)
    const script = 'for f in /config /data/deep /shared; do touch $f/made && echo "wrote $f"; done; echo done; cat'
    const environment = {
      image: 'innkeeper/test:1',
      folders: { '/config': 'some/config', '/data/deep:ro': 'deep' },
      bindings: { [shared]: '/shared:ro' },
    }
    const watcher = await startedWith(node, {
      environment,
      run: { command: `sh -c '${script}'` },
    })
    await watcher.untilText('\ndone')

    expect(watcher.text).toContain('wrote /config\r\n')
    expect(watcher.text).not.toMatch(/wrote \/(data|shared)/)
    const folder = join(node.dataDir, 'servers', id)
    expect(existsSync(join(folder, 'some/config/made'))).toBe(true)
    expect(statSync(join(folder, 'some/config')).uid).toBe(statSync(folder).uid)
  })

  test(`${name}: a folder that is a link is not mounted`, async ({ engine, startNode }) => {
    await using node = await startNode()
    const environment = { image: 'innkeeper/test:1', folders: { '/config': 'a/config' } }
    await node.client.create(id, { command: 'cat' }, { environment: { type: 'docker', ...environment } })
    const folder = join(node.dataDir, 'servers', id)
    symlinkSync('.', join(folder, 'a'))

    const inside = await node.client.send(startServer, { params, query: wait })

    expect(inside.body.error).toMatchObject({ code: 'ErrContainerFailed' })
    await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
  })

  test(`${name}: an image can run as its own user`, async ({ startNode }) => {
    await using node = await startNode()
    const environment = { image, containerRoot: '/home/container', user: 'image' }
    const command = 'touch made; chown 7:7 made; echo "HOME is $HOME"; cat'
    const watcher = await startedWith(node, {
      environment: { ...environment, commandAs: 'variable' },
      run: { command },
    })

    await watcher.untilText('HOME is /image/home')
    expect(watcher.text).toMatch(/as 0\b/)
    expect(statSync(join(node.dataDir, 'servers', id, 'made')).uid).toBe(7)
  })
}

async function startedWith(
  node: TestNode,
  { environment, run, ...more }: { environment: object; run: object; data?: object },
  server = id,
) {
  await node.client.create(server, run, { environment: { type: 'docker', ...environment }, ...more })
  const watcher = await node.client.watch(server)
  const { body } = await node.client.send(startServer, { params: { id: server }, query: wait })
  if (body?.error) throw new Error(`${JSON.stringify(body)}: ${watcher.text}`)
  return watcher
}

async function inspect(node: TestNode, engine: TestEngine) {
  const [found] = await readContainers(node, engine)
  return await engine.docker.getContainer(found?.Id ?? '').inspect()
}
