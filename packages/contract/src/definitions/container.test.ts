import { expect, test } from 'vitest'
import { getContainerConfig, validateContainer } from './container.ts'
import { Environment } from './definition.ts'
import { Variables } from './variables.ts'

function shaped(fields: object, data: object = {}) {
  const variables = Variables.parse(data)
  const values = new Map(Object.entries(variables).map(([name, { value }]) => [name, String(value ?? '')]))
  return getContainerConfig(Environment.parse({ type: 'docker', ...fields }), variables, values)
}

test('missing fields of a definition have defaults', () => {
  const nothing = {
    ...{ ports: [], mounts: [], folders: [], labels: {}, resources: {}, tmpfs: {} },
    ...{ commandAs: 'replace', root: '/pufferpanel', isRootReadOnly: false, usesImageUser: false },
  }
  expect(shaped({})).toEqual({ image: 'debian:stable-slim', network: 'host', ...nothing })
  expect(shaped({ image: '', networkMode: null, networkName: '', bindings: {}, portBindings: [] })).toEqual(shaped({}))
})

test('variables in image, network and ports are replaced', () => {
  const data = { java: { value: '21' }, port: { value: 25565, userEdit: true }, net: { value: 'games' } }
  const fields = {
    image: 'eclipse-temurin:${java}',
    networkMode: 'bridge',
    networkName: '${net}',
    portBindings: ['{ip}:${port}:25565/udp', '[::1]:${port}:25565', '0.0.0.0:1:2/tcp'],
    bindings: { '/srv/maps': '/pufferpanel/maps' },
  }

  expect(shaped(fields, data)).toMatchObject({
    image: 'eclipse-temurin:21',
    network: 'games',
    ports: [
      { host: '0.0.0.0', outside: 25565, inside: 25565, protocol: 'udp' },
      { host: '::1', outside: 25565, inside: 25565, protocol: 'tcp' },
      { host: '0.0.0.0', outside: 1, inside: 2, protocol: 'tcp' },
    ],
    mounts: [{ source: '/srv/maps', target: '/pufferpanel/maps' }],
  })
})

test('an image runs as it is made to, with its own folders', () => {
  const fields = {
    ...{ commandAs: 'variable', containerRoot: '/home//container/', readOnlyRoot: true, user: 'image' },
    folders: { '/config:ro': 'config', '/data/': '' },
    bindings: { '/srv/maps': '/maps:ro' },
    tmpfs: { '/tmp': '100M', '/run': 65_536 },
  }

  expect(shaped(fields)).toMatchObject({
    ...{ commandAs: 'variable', root: '/home/container', isRootReadOnly: true, usesImageUser: true },
    folders: [
      { folder: 'config', target: '/config', isReadOnly: true },
      { folder: '', target: '/data' },
    ],
    mounts: [{ source: '/srv/maps', target: '/maps', isReadOnly: true }],
    tmpfs: { '/tmp': 'rw,exec,nosuid,nodev,size=100m', '/run': 'rw,exec,nosuid,nodev,size=65536' },
  })
})

test('a port is published once, and not at all when its variable is empty or 0', () => {
  const portBindings = ['port', 'query', 'rcon', 'voice', 'same'].map((name) => `\${ip}:\${${name}}:\${${name}}/udp`)
  const data = Variables.parse({
    ...{ ip: { value: '0.0.0.0' }, port: { value: 27000 }, query: { value: '27015' } },
    ...{ rcon: { value: '' }, voice: { value: 0 }, same: { value: '27015' } },
  })
  const environment = { type: 'docker', networkMode: 'bridge', portBindings }
  const values = new Map(Object.entries(data).map(([name, { value }]) => [name, String(value)]))

  const { ports } = getContainerConfig(environment, data, values)

  expect(ports.map(({ outside }) => outside)).toEqual([27000, 27015])
  expect(validateContainer(environment, data, 'environment')).toEqual([])
})

test('an IPv6 address of a variable is a host of a port', () => {
  const hostWith = (ip: string, text = '${ip}:${port}:${port}/udp') =>
    shaped({ networkMode: 'bridge', portBindings: [text] }, { ip: { value: ip }, port: { value: 7 } }).ports[0]?.host

  expect([hostWith('::'), hostWith('2001:db8::7'), hostWith('::1', '[${ip}]:1:1'), hostWith('')]).toEqual([
    ...['::', '2001:db8::7', '::1', '0.0.0.0'],
  ])
})

test.each([
  ['ip', '[::]', 7],
  ['ip', 'play.example.com', 7],
  ['ip', '::1::', 7],
  ['port', '::', 70_000],
])('an invalid value is a problem of the variable %s: %s %d', (name, ip, port) => {
  const portBindings = ['${ip}:${port}:25565/tcp', '${ip}:${port}:25565/udp']
  const environment = Environment.parse({ type: 'docker', networkMode: 'bridge', portBindings })
  const variables = Variables.parse({ ip: { value: ip }, port: { value: port } })

  const [problem] = validateContainer(environment, variables, 'supportedEnvironments.0')

  expect(problem?.metadata.field).toBe(`data.${name}`)
})

test('an image without a tag gets the tag latest', () => {
  expect(['x', 'x:1', 'host:5000/x', 'host:5000/x:1', 'x@sha256:00'].map((image) => shaped({ image }).image)).toEqual([
    'x:latest',
    'x:1',
    'host:5000/x:latest',
    'host:5000/x:1',
    'x@sha256:00',
  ])
})

const freeText = { own: { value: 'evil/image', userEdit: true } }
const option = {
  own: { value: '21', userEdit: true, type: 'option', options: [{ value: 17 }, { value: '21' }] },
}

test('a user of the server can select an image only from options', () => {
  expect(shaped({ image: 'java${own}' }, option).image).toBe('java21:latest')
  expect(() => shaped({ image: 'java${own}' }, { own: { ...option.own, value: 'evil' } })).toThrow('image')
  expect(() => shaped({ image: '${own}' }, freeText)).toThrow('image')
  expect(() => shaped({ networkMode: 'bridge', networkName: '${own}' }, freeText)).toThrow('networkName')
})

test('a whole image can be an option', () => {
  const images = [{ value: 'host:5000/java:21', display: 'Java 21' }, { value: 'java@sha256:00' }, { value: 'plain' }]
  const imageWith = (value: string) =>
    shaped({ image: '${own}' }, { own: { value, userEdit: true, type: 'option', options: images } }).image

  expect(['host:5000/java:21', 'java@sha256:00', 'plain'].map(imageWith)).toEqual([
    ...['host:5000/java:21', 'java@sha256:00', 'plain:latest'],
  ])
  expect(() => imageWith('evil:1')).toThrow('image')
})

test('a user may enter the tag of an image, but nothing else', () => {
  const version = (value: string) =>
    shaped({ image: 'host:5000/java:${own}' }, { own: { value, userEdit: true } }).image

  expect(version('21-jre')).toBe('host:5000/java:21-jre')
  for (const wrong of ['', 'a/b', '21@sha256:00', 'a:b', '../x', 'a b'])
    expect(() => version(wrong), wrong).toThrow('image')
})

test.each([
  ['image', { image: '--privileged' }],
  ['image', { image: 'a:${own}' }],
  ['image', { image: 'a b' }],
  ['image', { image: 7 }],
  ['networkMode', { networkMode: 'container:other' }],
  ['networkMode', { networkMode: '${own}' }],
  ['networkName', { networkMode: 'bridge', networkName: 'container:other' }],
  ['networkName', { networkMode: 'bridge', networkName: 'host' }],
  ['networkName', { networkMode: 'macvlan' }],
  ['portBindings', { networkMode: 'bridge', portBindings: ['x'] }],
  ['portBindings', { networkMode: 'bridge', portBindings: ['${gone}:1:1'] }],
  ['portBindings', { networkMode: 'bridge', portBindings: { 1: 1 } }],
  ['bindings', { bindings: { '/srv/${own}': '/inside' } }],
  ['bindings', { bindings: { relative: '/inside' } }],
  ['bindings', { bindings: { '/srv': 'inside' } }],
  ['bindings', { bindings: { '/srv': '/pufferpanel/../pufferpanel/' } }],
  ['bindings', { bindings: { '/srv': '/' } }],
  ['bindings', { bindings: ['/srv:/inside'] }],
  ['bindings', { bindings: { '/srv': '/inside:rw' } }],
  ['bindings', { bindings: { '/srv': '/data' }, containerRoot: '/data' }],
  ['commandAs', { commandAs: 'shell' }],
  ['user', { user: 'root' }],
  ['containerRoot', { containerRoot: '/' }],
  ['containerRoot', { containerRoot: '/srv/../proc/1' }],
  ['containerRoot', { containerRoot: 'data' }],
  ['containerRoot', { containerRoot: '/data/${own}' }],
  ['folders', { folders: { '/config': '../other' } }],
  ['folders', { folders: { config: 'config' } }],
  ['folders', { folders: { '/config:z': 'config' } }],
  ['folders', { folders: { '/pufferpanel/': 'config' } }],
  ['tmpfs', { tmpfs: { '/tmp': '100m,exec' } }],
  ['tmpfs', { tmpfs: { '/': '1g' } }],
  ['resources', { resources: { Privileged: true } }],
  ['resources', { resources: 'much' }],
  ['labels', { labels: ['a=b'] }],
])('an invalid %s is rejected: %j', (field, fields) => {
  expect(() => shaped(fields, freeText)).toThrow(
    expect.objectContaining({ metadata: expect.objectContaining({ field: `environment.${field}` }) }),
  )
})

test.each<[string, object, string[]]>([
  ['nothing against what can be', { image: 'java:${own}', portBindings: ['0.0.0.0:${port}:25565/udp'] }, []],
  ['nothing where a variable has no value yet', { image: 'java:${later}', portBindings: ['${later}:1'] }, []],
  [
    'each field',
    { image: 'a b', networkMode: 'moon', bindings: { a: '/b', '/c': 'd' } },
    ['image', 'networkMode', 'bindings', 'bindings'],
  ],
  ['ports in every network mode', { portBindings: ['1:2', 'x', '${gone}:1'] }, ['portBindings']],
  [
    'ports of variables that are not there, where they are bound',
    { networkMode: 'bridge', portBindings: ['${gone}:1'] },
    ['portBindings'],
  ],
  ['a field of another shape', { portBindings: { 1: 2 } }, ['portBindings']],
  ['an image that users of the server would choose', { image: '${free}' }, ['image']],
  [
    'each place in the container',
    { containerRoot: 'x', folders: { '/a': '..' }, tmpfs: { '/b': 'much' }, bindings: { '/c': '/d:z' } },
    ['containerRoot', 'folders', 'tmpfs', 'bindings'],
  ],
  ['a network that has no name', { networkMode: 'overlay' }, ['networkName']],
])('a definition with an error has the problem %s', (_, fields, wrong) => {
  const variables = Variables.parse({
    own: { value: '21' },
    port: { value: 25565 },
    later: { value: '' },
    free: { value: '', userEdit: true },
  })

  const problems = validateContainer(Environment.parse({ type: 'docker', ...fields }), variables, 'environment')

  expect(problems.map(({ metadata }) => metadata.field)).toEqual(wrong.map((field) => `environment.${field}`))
})
