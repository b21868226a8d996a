import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { expectEveryColumn, type Fact, meaningless, shown } from '../../testing/every-column.ts'
import { ImportFixture } from '../../testing/import-fixture.ts'
import { flatRow } from '../layout.ts'

const id = '0123456789abcdef0123456789abcdef'
const state = 'state'
const schema = new URL('../../testing/schemas/mcsmanager.json', import.meta.url)
/** What the program writes, by kind of file. */
const source = JSON.parse(readFileSync(schema, 'utf8')) as Record<keyof typeof filesOfSource | 'settings', object>
/** Of the connection to a daemon. */
const technicalFields = [
  'multiplex',
  'reconnectionDelayMax',
  'reconnection',
  'reconnectionAttempts',
  'rejectUnauthorized',
].map((name) => `connectOpts.${name}`)

type Field = readonly [value: unknown, ...fact: [text: string] | [text: undefined, reason: string]]

/** A file from its fields, whose names are paths: `docker.image`. */
function getFile(fields: Readonly<Record<string, Field>>): object {
  const file: Record<string, unknown> = {}
  for (const [path, [value]] of Object.entries(fields)) {
    const names = path.split('.')
    let target = file
    for (const name of names.slice(0, -1)) {
      const inner = (target[name] ?? {}) as Record<string, unknown>
      target[name] = inner
      target = inner
    }
    target[names.at(-1) ?? ''] = value
  }
  return file
}

const getFacts = (fields: Readonly<Record<string, Field>>): Record<string, Fact> =>
  Object.fromEntries(
    Object.entries(fields).map(([path, [, text, reason]]) => [
      path,
      text === undefined ? meaningless(null, reason ?? '') : shown(null, text),
    ]),
  )

const user: Record<string, Field> = {
  uuid: ['u1', undefined, 'identifier'],
  userName: ['matilda', 'matilda'],
  passWord: ['$2a$04$abcdefghijklmnopqrstuuAbCdEfGhIjKlMnOpQrStUvWxYz01234', '$2a$04$abcdefghij'],
  passWordType: [1, '$2a$04$abcdefghij'],
  salt: ['', undefined, 'unused'],
  permission: [1, undefined, 'a user'],
  registerTime: ['2024', undefined, state],
  loginTime: ['2024', undefined, state],
  instances: [[{ instanceUuid: id, daemonId: 'd1' }], 'viewServerConsole'],
  apiKey: ['key', 'API key of user matilda'],
  isInit: [true, undefined, state],
  secret: ['JBSWY3DPEHPK3PXP', 'JBSWY3DPEHPK3PXP'],
  open2FA: [true, 'JBSWY3DPEHPK3PXP'],
  ssoSub: ['sub-1', 'sign-in by another service'],
  ssoBound: [true, 'bound account'],
}

const far: Record<string, Field> = {
  ip: ['far.example.org', 'far.example.org'],
  port: [24_445, '24445'],
  prefix: ['/daemon-path', 'path (/daemon-path)'],
  remarks: ['Far away', 'Far away'],
  apiKey: ['k2', undefined, 'a node gets a new secret'],
  remoteMappings: [
    [{ from: { ip: 'a', port: 1, prefix: '' }, to: { ip: 'b', port: 2, prefix: '' } }],
    'other addresses',
  ],
  'connectOpts.timeout': [10_000, undefined, state],
}

const daemon: Record<string, Field> = {
  version: [2, undefined, state],
  ip: ['', undefined, 'set anew'],
  port: [24_444, undefined, 'set anew'],
  prefix: ['', undefined, 'set anew'],
  key: ['k1', undefined, 'secret of the other panel'],
  maxFileTask: [2, undefined, state],
  maxZipFileSize: [200, undefined, state],
  language: ['en_us', undefined, 'language of its log'],
  defaultInstancePath: ['', undefined, 'the folder'],
  defaultJavaDataPath: ['', undefined, 'its managed Java'],
  allocatablePortRange: [[20_000, 20_100], 'ports for new instances ([20000,20100])'],
  currentAllocatablePort: [10_010, undefined, state],
  portAssignInterval: [7, 'distance of ports (7)'],
  uploadSpeedRate: [41, 'speed of uploads (41)'],
  downloadSpeedRate: [42, 'speed of downloads (42)'],
  maxDownloadFromUrlFileCount: [3, 'concurrent downloads (3)'],
  outputBufferSize: [256, undefined, state],
  enableSoftShutdown: [true, undefined, 'own shutdown'],
  softShutdownSkipDocker: [true, undefined, 'own shutdown'],
  softShutdownWaitSeconds: [30, undefined, 'own shutdown'],
  whiteListPanelIp: [false, undefined, 'its own connection'],
  whiteListPanelIps: [['127.0.0.1'], undefined, 'its own connection'],
  ssl: [false, undefined, 'set anew'],
  sslPemPath: ['', undefined, 'set anew'],
  sslKeyPath: ['', undefined, 'set anew'],
}

const instance: Record<string, Field> = {
  nickname: ['Lantern', 'Lantern'],
  startCommand: ['./lantern', './lantern'],
  stopCommand: ['douse', '"stop": "douse"'],
  stopTimeout: [147, '"stopTimeout": 147'],
  cwd: ['', undefined, 'the folder'],
  ie: ['gbk', 'ncoding'],
  oe: ['gbk', 'ncoding'],
  createDatetime: [1, undefined, state],
  lastDatetime: [1, undefined, state],
  type: ['minecraft/java/paper', 'minecraft-java'],
  tag: [['lamps'], 'lamps'],
  endTime: [1_900_000_000_000, 'the expiry'],
  fileCode: ['utf-8', undefined, 'editor'],
  processType: ['docker', '"type": "docker"'],
  updateCommand: ['./update-lantern', './update-lantern'],
  runAs: ['lampuser', 'system user'],
  crlf: [2, 'line ends of Windows'],
  category: [5, 'category (5)'],
  basePort: [25_581, '25581'],
  enableRcon: [true, 'RCON'],
  rconPassword: ['secret', 'RCON password'],
  rconPort: [25_582, 'RCON port (25582)'],
  rconIp: ['127.0.0.1', undefined, 'the same machine'],
  actionCommandList: [[{ name: 'Save', command: 'save' }], 'commands as buttons'],
  'terminalOption.haveColor': [true, undefined, 'every terminal'],
  'terminalOption.pty': [true, undefined, 'processes only'],
  'terminalOption.ptyWindowCol': [164, undefined, 'size of the window'],
  'terminalOption.ptyWindowRow': [40, undefined, 'size of the window'],
  'eventTask.autoStart': [true, '"autostart": true'],
  'eventTask.autoRestart': [true, '"autorestart": true'],
  'eventTask.autoRestartMaxTimes': [6, 'limit of restarts (6)'],
  'eventTask.ignore': [true, 'ignored events'],
  'java.id': ['jdk-1', 'the managed Java'],
  'docker.updateCommandImage': ['example.org/updater', 'example.org/updater'],
  'docker.containerName': ['lantern-c', undefined, 'from the ID'],
  'docker.image': ['example.org/lantern', 'example.org/lantern'],
  'docker.uploadSpeedLimit': [43, 'speed of uploads (43)'],
  'docker.downloadSpeedLimit': [44, 'speed of downloads (44)'],
  'docker.ports': [['25590:25565/tcp'], '25590:25565/tcp'],
  'docker.extraVolumes': [['/srv/maps|/maps'], '/srv/maps'],
  'docker.capAdd': [['NET_ADMIN'], 'NET_ADMIN'],
  'docker.capDrop': [['MKNOD'], 'MKNOD'],
  'docker.devices': [['/dev/dri'], 'its devices'],
  'docker.privileged': [true, 'privileged container'],
  'docker.memory': [1_777, '1777'],
  'docker.memorySwap': [2_777, 'swap (2777)'],
  'docker.memorySwappiness': [33, 'swappiness (33)'],
  'docker.networkMode': ['host', '"networkMode": "host"'],
  'docker.networkAliases': [['lamp'], 'names in the network'],
  'docker.cpusetCpus': ['0-1', '"CpusetCpus": "0-1"'],
  'docker.cpuUsage': [66, '66'],
  'docker.maxSpace': [9, 'disk space (9)'],
  'docker.io': [8, 'IO weight (8)'],
  'docker.network': [7, 'network speed (7)'],
  'docker.workingDir': ['/data', undefined, 'the folder in the container'],
  'docker.env': [['LAMP=oil'], '"LAMP": "oil"'],
  'docker.changeWorkdir': [false, 'own working directory'],
  'docker.labels': [['shade=red'], '"shade": "red"'],
  'docker.gpuEnabled': [true, 'GPU'],
  'docker.gpuCount': [2, 'number of GPUs (2)'],
  'docker.gpuDeviceIds': [['g0'], 'GPUs'],
  'docker.gpuDriver': ['other', 'GPU driver (other)'],
  'docker.deviceReadBps': [['/dev/sda:1mb'], 'reading speed'],
  'docker.deviceWriteBps': [['/dev/sda:2mb'], 'writing speed'],
  'pingConfig.ip': ['192.0.2.9', '192.0.2.9'],
  'pingConfig.port': [25_565, undefined, 'the base port has precedence'],
  'pingConfig.type': [2, 'kind of the query (2)'],
  'extraServiceConfig.openFrpTunnelId': ['t-1', 'tunnel (t-1)'],
  'extraServiceConfig.openFrpToken': ['t', 'key of the tunnel'],
}

const task: Record<string, Field> = {
  instanceUuid: [id, undefined, 'identifier'],
  name: ['Nightfall', 'Nightfall'],
  count: [-1, undefined, 'without limit'],
  time: ['0 13 4 * * *', '0 13 4 * * *'],
  action: ['', undefined, 'old form of the actions'],
  payload: ['', undefined, 'old form of the actions'],
  actions: [[{ type: 'command', payload: 'say the lanterns go out' }], 'say the lanterns go out'],
  type: [2, '0 13 4 * * *'],
}

const settings = { ...source.settings, canFileManager: true, loginInfo: 'Welcome to the lanterns' }

/** What one file of MCSManager has, by the names of its classes. */
const filesOfSource = { user, node: far, daemon, instance, task }

async function mcsManager(fixture: ImportFixture, canFileManager: boolean, more: object = {}): Promise<void> {
  await fixture.write('mcs/web/data/User/u1.json', getFile(user))
  await fixture.write('mcs/web/data/RemoteServiceConfig/d1.json', { ip: 'localhost', apiKey: 'k1' })
  await fixture.write('mcs/web/data/RemoteServiceConfig/d2.json', getFile(far))
  await fixture.write('mcs/web/data/SystemConfig/config.json', { ...settings, canFileManager })
  await fixture.write('mcs/daemon/data/Config/global.json', getFile(daemon))
  await fixture.write(`mcs/daemon/data/InstanceConfig/${id}.json`, { ...getFile(instance), ...more })
  await fixture.write(`mcs/daemon/data/TaskConfig/${id}_Nightfall.json`, getFile(task))
  await fixture.write(`mcs/daemon/data/InstanceData/${id}/lantern`, 'a program')
}

test('each field of MCSManager is carried over or in the report', async () => {
  await using fixture = await ImportFixture.create()
  await mcsManager(fixture, true)

  const report = await fixture.import('mcsmanager', fixture.path('mcs'))

  const files = { user, far, daemon, instance, task }
  await expectEveryColumn(
    fixture,
    report,
    Object.fromEntries(Object.entries(files).map(([name, fields]) => [name, [getFacts(fields)]])),
  )
  const note = report.notes.find((text) => /^settings in \S+SystemConfig\/\S+: not carried over:/.test(text)) ?? ''
  for (const name of Object.keys(settings).filter((key) => key !== 'canFileManager')) expect(note).toContain(name)
})

test.each(Object.entries(filesOfSource))('the test has each field that MCSManager writes for a %s', (name, fields) => {
  const written = Object.keys(flatRow(source[name as keyof typeof source]))

  expect(written.filter((path) => !Object.hasOwn(fields, path) && !technicalFields.includes(path))).toEqual([])
})

test('users get no files when the panel keeps those from them, and unknown fields are named', async () => {
  await using fixture = await ImportFixture.create()
  await mcsManager(fixture, false, { lamps: { oil: 3 } })

  const { notes } = await fixture.import('mcsmanager', fixture.path('mcs'))

  const [row] = await fixture.read((db) => db.selectFrom('server_users').select('rights').execute())
  expect(row?.rights).toBe('viewServerConsole viewServerStats startServer stopServer sendServerConsole')
  expect(notes).toContain('instances: unknown to this import, and not carried over: lamps.oil')
})
