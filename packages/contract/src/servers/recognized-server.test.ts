import { expect, test } from 'vitest'
import { hasProgram, isTemplateMismatch, recognizeServer } from './recognized-server.ts'

const java = ['server.properties', 'eula.txt', 'world/level.dat']

test.each([
  ['minecraft-vanilla', 'minecraft_server.1.20.jar', [...java, 'minecraft_server.1.20.jar', 'other.jar']],
  [
    'minecraft-paper',
    'paper-1.21.4-100.jar',
    [...java, 'bukkit.yml', 'config/paper-global.yml', 'paper-1.21.4-100.jar'],
  ],
  [
    'minecraft-purpur',
    'server.jar',
    [...java, 'purpur.yml', 'config/paper-global.yml', 'server.jar', 'purpur-old.jar'],
  ],
  ['minecraft-spigot', 'only.jar', [...java, 'bukkit.yml', 'only.jar']],
  ['minecraft-fabric', undefined, [...java, 'fabric-server-launch.jar', 'server.jar']],
  ['minecraft-fabric', undefined, [...java, '.fabric/']],
  ['minecraft-quilt', undefined, [...java, 'quilt-server-launch.jar']],
  ['minecraft-forge-legacy', 'forge-1.12.2-14.23.5.2860.jar', [...java, 'forge-1.12.2-14.23.5.2860.jar']],
  ['minecraft-bedrock', undefined, ['bedrock_server', 'server.properties', 'allowlist.json']],
  ['minecraft-velocity', undefined, ['velocity.toml', 'velocity-3.jar']],
  ['minecraft-waterfall', undefined, ['config.yml', 'waterfall.yml', 'modules/a.jar']],
  ['minecraft-bungeecord', undefined, ['config.yml', 'modules/', 'BungeeCord.jar']],
])('%s with the jar %s is recognized', (template, jar, paths) => {
  expect(recognizeServer(paths)).toMatchObject({ template, jar, loader: undefined, folder: '' })
})

test.each([
  ['minecraft-forge', 'libraries/net/minecraftforge/forge/1.20.1-47.2.0/unix_args.txt', '1.20.1-47.2.0'],
  ['minecraft-neoforge', 'libraries/net/neoforged/neoforge/21.1.77/unix_args.txt', '21.1.77'],
])('%s is recognized with its version', (template, path, loader) => {
  expect(recognizeServer([...java, 'run.sh', path])).toMatchObject({
    template,
    jar: undefined,
    loader,
    folder: '',
    isInstalled: true,
  })
})

test('everything may be in one folder', () => {
  expect(recognizeServer(['My server/server.properties', 'My server/server.jar'])).toEqual({
    template: 'minecraft-vanilla',
    jar: 'server.jar',
    loader: undefined,
    folder: 'My server',
    isInstalled: true,
  })
})

test.each([
  [[]],
  [['readme.txt']],
  [['a/server.properties', 'b/x']],
  [['config.yml', 'index.js']],
  [['config/paper-global.yml']],
])('files %j are no known server', (paths) => {
  expect(recognizeServer(paths)).toBeUndefined()
})

test.each([
  [true, [...java, 'paper.yml', 'paper-1.21.4.jar']],
  [true, [...java, 'fabric-server-launch.jar', 'server.jar']],
  [false, [...java, 'paper.yml', 'a.jar', 'b.jar']],
  [false, [...java, '.fabric/', 'server.jar']],
  [false, ['velocity.toml']],
])('whether the program is there: %s', (isInstalled, paths) => {
  expect(recognizeServer(paths)?.isInstalled).toBe(isInstalled)
})

test.each([
  ['generic', undefined, true],
  ['generic', 'generic-command', true],
  ['minecraft-java', 'minecraft-vanilla', true],
  ['minecraft-bedrock', 'minecraft-bedrock', true],
  ['minecraft-java', 'minecraft-paper', false],
  ['minecraft-java', 'our-own-paper', false],
  ['minecraft-java', undefined, false],
])('for a server of the type %s from %s, Paper is another kind: %s', (type, name, expected) => {
  const recognized = recognizeServer([...java, 'paper.yml', 'paper.jar'])

  expect(
    recognized && isTemplateMismatch(recognized, { type, template: name === undefined ? undefined : { name } }),
  ).toBe(expected)
})

test.each([
  [['server.properties'], false],
  [['server.properties', 'spigot.yml', 'plugins/a.jar'], false],
  [[...java, 'server.jar'], true],
  [['bedrock_server', 'server.properties'], true],
  [[...java, 'libraries/net/neoforged/neoforge/21.1.77/unix_args.txt'], true],
])('in %j the program is there: %s', (paths, expected) => {
  const recognized = recognizeServer(paths)

  expect(recognized && hasProgram(recognized)).toBe(expected)
})
