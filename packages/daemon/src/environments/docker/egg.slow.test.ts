import { lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { convertEgg } from '@innkeeper/contract/eggs/convert-egg'
import { installServer, killServer, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { expect, vi } from 'vitest'
import { id, params, readContainers, readState, slowWait, wait } from '../../testing/containers.ts'
import type { TestNode } from '../../testing/daemon.ts'
import { TestEngine, testImage } from '../../testing/engine.ts'
import { testWithEngine } from '../../testing/engine-test.ts'
import { freePort } from '../../testing/target-servers.ts'

/** Like the entry points of images for eggs: placeholders become those of a shell, which then evaluates the command. */
const entry = `cd /home/container || exit 1
PARSED=$(echo "$STARTUP" | sed -e 's/{{/\${/g' -e 's/}}/}/g')
eval "$PARSED"`

/** Some evaluate the command twice: once here, once in the shell of a wrapper. */
const twice = `cd /home/container || exit 1
MODIFIED=$(eval echo -e \${STARTUP} | sed -e 's/{{/\${/g' -e 's/}}/}/g')
exec sh -c "\${MODIFIED}"`

const test = testWithEngine(async () => {
  const engine = await TestEngine.create()
  for (const version of ['1', '2'])
    await engine.buildImage(`example.test/game:${version}`, { entry }, [
      `ENV VERSION=${version}`,
      'ENTRYPOINT ["/entry"]',
    ])
  await engine.buildImage('example.test/twice:1', { entry: twice }, ['CMD ["/entry"]'])
  return engine
})

/** A program that saves on Ctrl+C, and prints its arguments. */
const game = `#!/bin/sh
trap 'echo saved > save; echo saved; exit 0' INT
for word in "$@"; do echo "word [$word]"; done
echo "Done (1.2s)! version $VERSION, memory $SERVER_MEMORY, id $P_SERVER_UUID"
while true; do sleep 0.1; done
`

const egg = {
  meta: { version: 'PTDL_v2' },
  name: 'Game',
  docker_images: { 'Version 2': 'example.test/game:2', 'Version 1': '~example.test/game:1' },
  startup:
    'if [ -f bin/game ]; then\r\n  exec bin/game --name "{{SERVER_TITLE}}" --port={{SERVER_PORT}} {{EXTRA}}\r\nfi',
  config: {
    files: {
      'server.properties': { parser: 'properties', find: { 'server-port': '{{server.build.default.port}}' } },
    },
    startup: { done: 'Done (' },
    stop: '^C',
  },
  scripts: {
    installation: {
      script:
        'cd /tmp\r\necho "$GAME" > game\r\nmkdir -p /mnt/server/bin\r\nmv game /mnt/server/bin/game\r\nchmod 755 /mnt/server/bin/game\r\nchown -R 998:998 /mnt/server\r\necho "for $SERVER_TITLE"\r\n',
      container: testImage,
      entrypoint: 'ash',
    },
  },
  variables: [
    { env_variable: 'SERVER_TITLE', default_value: `Mara's "best" $(id) | server`, user_viewable: true },
    { env_variable: 'EXTRA', default_value: 'one two', user_viewable: true },
    { env_variable: 'GAME', default_value: game, user_viewable: false },
  ],
}

/** Creates a server from an egg, in the network of the node or in another one: the engine of tests has no default. */
async function create(
  node: TestNode,
  json: object,
  values: Readonly<Record<string, unknown>> = {},
  networkName?: string,
): Promise<string> {
  const { run, name: _name, readme: _readme, ...template } = convertEgg(json).template
  const data = Object.fromEntries(
    Object.entries(template.data).map(([name, variable]) => [
      name,
      Object.hasOwn(values, name) ? { ...variable, value: values[name] } : variable,
    ]),
  )
  const network = networkName === undefined ? { networkMode: 'host' } : { networkName }
  const environment = { ...template.environment, ...network }
  await node.client.create(id, run, { ...template, data, environment, supportedEnvironments: [environment] })
  return join(node.dataDir, 'servers', id)
}

test('an egg is installed, started, found ready and stopped as in the other panel', async ({ engine, startNode }) => {
  await using node = await startNode()
  const folder = await create(node, egg, { port: 27_015, memory: 128, image: 'example.test/game:1' })
  writeFileSync(join(folder, 'server.properties'), '# mine\nmotd=hi\n')
  const watcher = await node.client.watch(id)

  const installed = await node.client.send(installServer, { params, query: wait })
  const started = await node.client.send(startServer, { params, query: wait })
  await watcher.untilText('Done (')
  await vi.waitFor(async () => expect(await readState(node)).toBe('online'), slowWait)
  const [container] = await readContainers(node, engine)
  const { HostConfig } = await engine.docker.getContainer(container?.Id ?? '').inspect()
  await node.client.send(stopServer, { params, query: wait })

  expect([installed.body?.error, started.body?.error]).toEqual([undefined, undefined])
  expect(watcher.text).toContain(`for Mara's "best" $(id) | server`)
  const words = [...watcher.text.matchAll(/word \[(.*)\]/g)].map(([, word]) => word)
  expect(words).toEqual(['--name', `Mara's "best" $(id) | server`, '--port=27015', 'one', 'two'])
  expect(watcher.text).toContain(`Done (1.2s)! version 1, memory 128, id ${id}`)
  expect(HostConfig).toMatchObject({ ReadonlyRootfs: true, Tmpfs: { '/tmp': expect.stringContaining('size=100m') } })
  expect(readFileSync(join(folder, 'server.properties'), 'utf8')).toBe('# mine\nmotd=hi\nserver-port=27015\n')
  expect(readFileSync(join(folder, 'save'), 'utf8')).toBe('saved\n')
  expect(lstatSync(join(folder, 'bin/game')).uid).toBe(lstatSync(folder).uid)
})

test('an image that evaluates the start command twice gets values of several words whole', async ({ startNode }) => {
  await using node = await startNode()
  const startup =
    './game +server.hostname \\"{{HOSTNAME}}\\" +server.level \\"{{LEVEL}}\\" $( [ -f ./none ] || printf %s +extra )'
  const variables = [
    { env_variable: 'HOSTNAME', default_value: 'My Rust server' },
    { env_variable: 'LEVEL', default_value: 'Procedural Map' },
  ]
  const folder = await create(node, { ...egg, docker_images: { Game: 'example.test/twice:1' }, startup, variables })
  writeFileSync(join(folder, 'game'), game, { mode: 0o755 })
  const watcher = await node.client.watch(id)

  await node.client.send(startServer, { params, query: wait })
  await watcher.untilText('Done (')

  const words = [...watcher.text.matchAll(/word \[(.*)\]/g)].map(([, word]) => word)
  expect(words).toEqual(['+server.hostname', 'My Rust server', '+server.level', 'Procedural Map', '+extra'])
})

test('one of several start commands runs, as it was chosen', async ({ startNode }) => {
  await using node = await startNode()
  const startup_commands = { Default: 'echo "plain"; cat', 'With cheats': 'echo "{{SERVER_TITLE}} cheats"; cat' }
  await create(node, { ...egg, startup: undefined, startup_commands }, { startup: 'With cheats', SERVER_TITLE: 'Mine' })
  const watcher = await node.client.watch(id)

  await node.client.send(startServer, { params, query: wait })

  await watcher.untilText('Mine cheats')
})

test('the main port and further ones are published', async ({ engine, startNode }) => {
  await using node = await startNode()
  const network = await engine.docker.createNetwork({ Name: 'innkeeper-egg-ports', Driver: 'bridge' })
  await using _ = { [Symbol.asyncDispose]: async () => void (await network.remove({ force: true })) }
  const [main, query] = [await freePort(), await freePort()]
  const answer = (port: string, word: string) => `while true; do nc -l -p {{${port}}} -e echo ${word}; done`
  const startup = `(${answer('QUERY_PORT', 'query')}) & echo listening; ${answer('SERVER_PORT', 'main')}`
  const variables = [
    { env_variable: 'QUERY_PORT', default_value: '27016', rules: 'required|integer', user_viewable: true },
  ]
  await create(node, { ...egg, startup, variables }, { port: main, QUERY_PORT: query }, 'innkeeper-egg-ports')
  const watcher = await node.client.watch(id)

  await node.client.send(startServer, { params, query: wait })
  await watcher.untilText('listening')

  await vi.waitFor(async () => expect(await readAnswer(main)).toBe('main\n'), slowWait)
  await vi.waitFor(async () => expect(await readAnswer(query)).toBe('query\n'), slowWait)
  await node.client.send(killServer, { params, query: wait })
  await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
})

async function readAnswer(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  return await text(socket)
}
