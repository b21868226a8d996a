import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  getConsole,
  getStats,
  getStatus,
  installServer,
  killServer,
  startServer,
} from '@innkeeper/contract/servers/node-servers'
import { expect, test, vi } from 'vitest'
import { RootFs } from '../files/root.ts'
import { TestNode } from '../testing/daemon.ts'
import { getPlan, KeeperFixture, startReading, until } from '../testing/keepers.ts'
import { testOnClearedNode as onNode } from '../testing/node-test.ts'
import { Isolation } from './isolation.ts'

const wait = { wait: true }
const patience = { timeout: 20_000, interval: 50 }
const isRoot = process.getuid?.() === 0

/**
 * A node running as root whose server runs shell commands. No other file has servers with these IDs: those of other nodes
 * have the same user, and would be visible.
 */
async function serverRunning(node: TestNode, id: string, script: string, environment: object = { type: 'standard' }) {
  const { client } = node
  await client.create(id, { command: `sh -c "${script}"`, stopCode: 15 }, { environment })
  const watcher = await client.watch(id)
  await client.send(startServer, { params: { id }, query: wait })
  return watcher
}

onNode.runIf(isRoot)(
  'a server runs as its own user, without capabilities, and cannot gain privileges',
  async ({ node }) => {
    const watcher = await serverRunning(
      node,
      '150a0a0a',
      'grep -E ^[UGCN] /proc/self/status; id -u; touch mine; sleep 60',
    )

    await watcher.untilText('NoNewPrivs:\t1')
    const uid = Number(/Uid:\t(\d+)/.exec(watcher.text)?.[1])
    expect(uid).toBeGreaterThanOrEqual(1_900_000_000)
    expect(watcher.text).toMatch(/Groups:\s*\n/)
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect(watcher.text).toContain(`${set}:\t0000000000000000`)
    const folder = join(node.dataDir, 'servers', '150a0a0a')
    expect(statSync(folder)).toMatchObject({ uid, gid: uid, mode: 0o40700 })
    await vi.waitFor(() => expect(statSync(join(folder, 'mine')).uid).toBe(uid), patience)
  },
)

onNode.runIf(isRoot)('install steps have the same privileges as the server', async ({ node }) => {
  const { client, dataDir } = node
  const install = [{ type: 'command', commands: [`sh -c 'id -u > who; cat ${dataDir}/users.json; exit 0'`] }]
  await client.create('150a0a0a', { command: 'sleep 60' }, { install })

  await client.send(installServer, { params: { id: '150a0a0a' }, query: wait })

  const { uid } = statSync(join(dataDir, 'servers', '150a0a0a'))
  expect(readFileSync(join(dataDir, 'servers', '150a0a0a', 'who'), 'utf8')).toBe(`${uid}\n`)
  expect((await client.send(getConsole, { params: { id: '150a0a0a' } })).body.logs).toContain('Permission denied')
})

onNode.runIf(isRoot)('a server cannot read other servers or the rest of the data directory', async ({ node }) => {
  await serverRunning(node, '150b0b0b', 'echo secret > secret; sleep 60')
  const other = join(node.dataDir, 'servers', '150b0b0b')
  await vi.waitFor(() => expect(existsSync(join(other, 'secret'))).toBe(true), patience)
  const reach = [node.dataDir, join(node.dataDir, 'servers'), other]
  const read = [join(other, 'secret'), join(node.dataDir, 'servers', '150b0b0b.json'), join(node.dataDir, 'users.json')]

  const watcher = await serverRunning(
    node,
    '150a0a0a',
    `${[...reach.map((path) => `ls ${path}`), ...read.map((path) => `cat ${path}`)].join('; ')}; touch ${node.dataDir}/x; echo done; sleep 60`,
  )

  await watcher.untilText('\ndone\n')
  expect(watcher.text.match(/Permission denied/g)).toHaveLength(reach.length + read.length + 1)
  expect(watcher.text).not.toContain('secret\n')
})

onNode.runIf(isRoot).for(['standard', 'tty'])(
  'in %s a server cannot see processes of another server, and so no password on their command lines',
  async (type, { node }) => {
    const { client } = node
    const secret = { data: { password: { value: 'S3cretRcon-77' } } }
    await client.create('150b0b0b', { command: 'sh -c "echo up; read go; echo $0" ${password}' }, secret)
    const other = await client.watch('150b0b0b')
    await client.send(startServer, { params: { id: '150b0b0b' }, query: wait })
    await other.untilText('up\n')
    await client.create('150a0a0a', { command: './look.sh mine' }, { environment: { type } })
    const look = "for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; echo; done; ls -d /proc/[0-9]* | wc -l"
    const script = `#!/bin/sh\n${look}\necho looked; read line; echo heard $line\nsleep 60\n`
    writeFileSync(join(node.dataDir, 'servers', '150a0a0a', 'look.sh'), script, { mode: 0o755 })
    const watcher = await client.watch('150a0a0a')

    await client.send(startServer, { params: { id: '150a0a0a' }, query: wait })

    await watcher.untilText('looked')
    expect(watcher.text).toContain('./look.sh mine')
    expect(watcher.text).not.toContain('S3cretRcon-77')
    expect(watcher.text).not.toContain(process.execPath)
    watcher.send({ type: 'console', command: 'you' })
    await watcher.untilText('heard you')
    other.send({ type: 'console', command: 'go' })
    await other.untilText('S3cretRcon-77\n')
  },
)

onNode.runIf(isRoot)('install steps cannot see processes of another server either', async ({ node }) => {
  const { client, dataDir } = node
  await serverRunning(node, '150b0b0b', 'sleep 600 # S3cretRcon-77')
  const install = [{ type: 'command', commands: ["sh -c 'cat /proc/[0-9]*/cmdline > seen'"], stopOnError: true }]
  await client.create('150a0a0a', { command: 'sleep 60' }, { install })

  await client.send(installServer, { params: { id: '150a0a0a' }, query: wait })

  const found = readFileSync(join(dataDir, 'servers', '150a0a0a', 'seen'), 'latin1')
  expect(found).toContain('cat')
  expect(found).not.toContain('S3cretRcon-77')
})

onNode.runIf(isRoot)("a server's mounts are private, and only its own /proc changes", async ({ node }) => {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')

  const watcher = await serverRunning(node, '150a0a0a', 'grep /proc /proc/self/mounts; echo looked; sleep 60')

  await watcher.untilText('\nlooked\n')
  expect(watcher.text).toMatch(/^proc \/proc proc \S*nosuid\S*hidepid=/m)
  expect(readFileSync('/proc/self/mounts', 'utf8')).toBe(mounts)
})

const shared = ['/tmp', '/var/tmp', '/dev/shm', '/run/lock']
/** Writes to all places that programs share, and prints what is there. */
const visit = (name: string) =>
  `#!/bin/sh
for place in ${shared.join(' ')}; do
  echo ${name} > $place/innkeeper-visit-${name}
  echo "$place has $(ls $place | grep innkeeper-visit | tr '\\n' ' ')"
done
ipcmk -M 4096 -S 1 -Q > /dev/null
echo "queues: $(ipcs -q | grep -c '^0x'), memory: $(ipcs -m | grep -c '^0x'), semaphores: $(ipcs -s | grep -c '^0x')"
(cat /tmp/innkeeper-visit-${name}; echo "size $(stat -f -c '%b*%S' /tmp)"; echo looked) &
wait
sleep 60
`

onNode.runIf(isRoot).for(['standard', 'tty'])(
  'in %s two servers share no temporary folders, shared memory, semaphores or queues',
  async (type, { node }) => {
    const { client, dataDir } = node
    const texts: string[] = []

    for (const [at, id] of ['150b0b0b', '150a0a0a'].entries()) {
      await client.create(id, { command: './visit.sh', stopCode: 15 }, { environment: { type } })
      writeFileSync(join(dataDir, 'servers', id, 'visit.sh'), visit(`of-${at}`), { mode: 0o755 })
      const watcher = await client.watch(id)
      await client.send(startServer, { params: { id }, query: wait })
      await watcher.untilText('looked')
      texts.push(watcher.text.replaceAll('\r', ''))
    }

    for (const [at, text] of texts.entries()) {
      for (const place of shared) expect(text).toContain(`${place} has innkeeper-visit-of-${at} \n`)
      expect(text).toContain('queues: 1, memory: 1, semaphores: 1')
      expect(text).toMatch(/\nof-\d\nsize \d+\*4096\n/)
    }
    for (const place of shared) expect(readdirSync(place).join()).not.toContain('innkeeper-visit')
    await client.send(killServer, { params: { id: '150a0a0a' }, query: wait })
    const again = await client.watch('150a0a0a')
    await client.send(startServer, { params: { id: '150a0a0a' }, query: wait })
    await again.untilText('looked')
    expect(again.text.replaceAll('\r', '')).toContain('/tmp has innkeeper-visit-of-1 \n')
  },
)

onNode.runIf(isRoot)('install steps have temporary folders of their own too', async ({ node }) => {
  const { client, dataDir } = node
  writeFileSync('/tmp/innkeeper-visit-host', '')
  const install = [{ type: 'command', commands: ["sh -c 'ls /tmp > seen; echo > /tmp/innkeeper-visit-step'"] }]
  await client.create('150a0a0a', { command: 'sleep 60' }, { install })

  await client.send(installServer, { params: { id: '150a0a0a' }, query: wait })

  const seen = readFileSync(join(dataDir, 'servers', '150a0a0a', 'seen'), 'utf8')
  expect(seen).not.toContain('innkeeper-visit')
  expect(existsSync('/tmp/innkeeper-visit-step')).toBe(false)
  rmSync('/tmp/innkeeper-visit-host')
})

test('without root, servers share temporary folders, and this is reported', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'innkeeper-isolation-'))

  const isolation = await Isolation.open({ dataDir, isRoot: false })

  expect(isolation.abilities.privateTemporaryFolders).toEqual({
    enforced: false,
    reason: 'servers have no users of their own',
  })
  isolation.close()
  await rm(dataDir, { recursive: true })
})

test.runIf(isRoot)(
  'without unshare or the permission to mount, servers run, and the node reports the reason',
  async () => {
    await using fixture = await KeeperFixture.create()
    chmodSync(join(fixture.dataDir, '..'), 0o755)
    const noCapability = join(fixture.dataDir, '..', 'unshare')
    writeFileSync(noCapability, '#!/bin/sh\nexec setpriv --inh-caps=-all --bounding-set=-sys_admin -- unshare "$@"\n', {
      mode: 0o755,
    })
    const reasons: (string | undefined)[] = []

    for (const unsharePaths of [['/nowhere/unshare'], [noCapability]]) {
      const isolation = await Isolation.open({ dataDir: fixture.dataDir, unsharePaths })
      const keepers = await fixture.open({ isolation })
      const { run, out } = await startReading(keepers, getPlan('a/main', 'echo'))
      await out.until(/ready/)
      await run.kill()
      await run.exited
      run.release()
      await fixture.close(keepers)
      expect(isolation.abilities.hiddenProcesses?.enforced).toBe(false)
      reasons.push(isolation.abilities.hiddenProcesses?.reason)
    }

    expect(reasons).toEqual([
      'the program unshare of util-linux is missing',
      expect.stringContaining(
        'as in a container without CAP_SYS_ADMIN (unshare: unshare failed: Operation not permitted)',
      ),
    ])
  },
)

test('without root, servers see the processes of others, and this is reported', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'innkeeper-isolation-'))

  const isolation = await Isolation.open({ dataDir, isRoot: false })

  expect(isolation.abilities.hiddenProcesses).toEqual({
    enforced: false,
    reason: 'servers have no users of their own',
  })
  isolation.close()
  await rm(dataDir, { recursive: true })
})

test.runIf(isRoot)(
  'a variable that a shell cannot export is ignored and reported, and never in an argument list',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'innkeeper-isolation-'))
    const isolation = await Isolation.open({ dataDir })
    const env = { 'odd.name': 'S3cret', plain: 'S3cret too' }

    const plan = isolation.isolate('run', { key: 'a/main', file: 'true', args: [], cwd: '/', env })

    expect(plan.args.join(' ')).not.toContain('S3cret')
    expect(Object.values(plan.env)).toEqual([expect.any(String), 'plain=S3cret too'])
    expect(isolation.unsupportedFeatures({ env })).toEqual([expect.stringContaining('odd.name is ignored')])
    await isolation.destroy('run')
    isolation.close()
    await rm(dataDir, { recursive: true })
  },
)

onNode.runIf(isRoot)('each server keeps its user across restarts of the node', async ({ node }) => {
  for (const id of ['00000001', '00000002', '000f4241']) await node.client.create(id, 'true')
  const uidsNow = () => JSON.parse(readFileSync(join(node.dataDir, 'users.json'), 'utf8'))
  const before = uidsNow()

  await node.detach()
  await node.start()

  expect(uidsNow()).toEqual(before)
  expect(new Set(Object.values(before)).size).toBe(3)
})

test.runIf(isRoot)('files of an older server are changed to its user, and nothing outside is', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'innkeeper-give-'))
  const [folder, outside] = [join(dir, 'server'), join(dir, 'outside')]
  mkdirSync(join(folder, 'deep', 'er'), { recursive: true })
  for (const path of [outside, join(folder, 'deep', 'er', 'file')]) writeFileSync(path, '')
  symlinkSync(outside, join(folder, 'link'))
  symlinkSync(dir, join(folder, 'folder'))
  linkSync(outside, join(folder, 'hard'))
  const owner = { uid: 1_900_000_007, gid: 1_900_000_007 }

  await using files = await RootFs.open(folder, { owner })

  expect(files.directory).toBe(folder)
  for (const path of ['.', 'deep', 'deep/er', 'deep/er/file']) expect(statSync(join(folder, path)).uid).toBe(owner.uid)
  for (const path of [outside, dir]) expect(statSync(path).uid).toBe(0)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  await rm(dir, { recursive: true })
})

test.for(['standard', 'tty'])(
  'in %s a program gets its environment unchanged, and can open its own output',
  async (type) => {
    await using node = await TestNode.start()
    const { client } = node
    const script = 'env | sort; echo again > /dev/stdout; sleep 60'
    const environmentVars = {
      IFS: 'x',
      n: '5',
      QUOTED: `it's "$HOME" \`x\` \\`,
      LD_LIBRARY_PATH: '/nowhere',
    }
    await client.create('150a0a0a', { command: `sh -c "${script}"`, environmentVars }, { environment: { type } })
    const watcher = await client.watch('150a0a0a')

    await client.send(startServer, { params: { id: '150a0a0a' }, query: wait })

    await watcher.untilText('\nagain')
    for (const line of ['n=5', `QUOTED=it's "$HOME" \`x\` \\`, 'LD_LIBRARY_PATH=/nowhere'])
      expect(watcher.text).toContain(line)
    expect(watcher.text).not.toContain('INNKEEPER_ENV')
  },
)

test('unenforced limits are reported, but only for servers that have them', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'innkeeper-isolation-'))
  const isolation = await Isolation.open({ dataDir })

  expect(isolation.unsupportedFeatures({ env: {} })).toEqual([])
  expect(isolation.unsupportedFeatures({ limits: { disk: 100 }, env: {} })).toEqual([
    expect.stringContaining('limit of disk'),
  ])
  expect(isolation.abilities.limits.disk).toMatchObject({ enforced: false, code: expect.stringMatching(/^[a-zA-Z]+$/) })
  isolation.close()
  await rm(dataDir, { recursive: true })
})

test.runIf(isRoot)(
  'kill reaches a process that cleared its environment, lost its parent and left its session',
  async () => {
    await using node = await TestNode.start()
    const { client, dataDir } = node
    const folder = join(dataDir, 'servers', '150a0a0a')
    // The parent exits at once: the child is an orphan with its own session and without the marker.
    const leaving = `setsid env -i sh -c 'setsid sleep 7777 & echo $! > ${folder}/pid' &`
    await client.create('150a0a0a', { command: './escape.sh' })
    writeFileSync(join(folder, 'escape.sh'), `#!/bin/sh\n${leaving}\nsleep 60\n`, { mode: 0o755 })
    await client.send(startServer, { params: { id: '150a0a0a' }, query: wait })
    await vi.waitFor(() => expect(readFileSync(join(folder, 'pid'), 'utf8')).toMatch(/\d+\n/), patience)
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'))
    expect(readFileSync(`/proc/${pid}/cmdline`, 'latin1')).toContain('7777')

    await client.send(killServer, { params: { id: '150a0a0a' }, query: wait })

    expect(isRunning(pid)).toBe(false)
  },
)

onNode.runIf(isRoot)('processes that left the tree are measured too', async ({ node }) => {
  const spin = "setsid env -i setsid sh -c 'while :; do :; done' & sleep 60"
  await node.client.create('150a0a0a', { command: './spin.sh' }, { environment: { type: 'tty', limits: { cpu: 30 } } })
  const file = join(node.dataDir, 'servers', '150a0a0a', 'spin.sh')
  writeFileSync(file, `#!/bin/sh\n(${spin} &)\nsleep 60\n`, { mode: 0o755 })

  await node.client.send(startServer, { params: { id: '150a0a0a' }, query: wait })

  await vi.waitFor(async () => {
    const { body } = await node.client.send(getStats, { params: { id: '150a0a0a' } })
    expect(body.cpu).toBeGreaterThan(5)
  }, patience)
})

onNode.runIf(isRoot)('nothing of a server is left after its exit, whatever it left behind', async ({ node }) => {
  const watcher = await serverRunning(node, '150a0a0a', 'setsid sleep 7778 & echo left $!')
  await watcher.untilText('Server exited with code 0')
  const pid = Number(/left (\d+)/.exec(watcher.text)?.[1])

  await until('the sleeper ends', () => !isRunning(pid))
  await until('its control groups are gone', () => getGroups(node.dataDir).length === 0)
})

test.runIf(isRoot)(
  'a process that exceeds the memory limit is killed with that reason, and the limit survives a restart of the daemon',
  async () => {
    await using node = await TestNode.start()
    const environment = { type: 'standard', limits: { memory: 64 } }
    const watcher = await serverRunning(
      node,
      '150a0a0a',
      'echo up; read go; head -c 500M /dev/zero | tail',
      environment,
    )
    await watcher.untilText('up\n')
    await node.detach()
    await node.start()
    const again = await node.client.watch('150a0a0a')

    again.send({ type: 'console', command: 'go' })

    await again.untilText('It was killed because it used more memory than it may')
    const { body } = await node.client.send(getStatus, { params: { id: '150a0a0a' } })
    expect(body.lastExit).toMatchObject({ reason: 'outOfMemory' })
  },
)

test.runIf(isRoot)(
  'a fork bomb stays within the process limit, and kill ends all of it within two seconds',
  async () => {
    await using node = await TestNode.start()
    const environment = { type: 'standard', limits: { processes: 40, cpu: 50 } }
    const folder = join(node.dataDir, 'servers', '150a0a0a')
    await node.client.create('150a0a0a', { command: './bomb.sh' }, { environment })
    // Bounded, in case the limit is not enforced.
    writeFileSync(
      join(folder, 'bomb.sh'),
      '#!/bin/sh\ni=0\nwhile [ $i -lt 400 ]; do sleep 60 & i=$((i+1)); done\nwait\n',
      { mode: 0o755 },
    )
    await node.client.create('150b0b0b', { command: 'sh -c "echo fine; sleep 60"' })

    await node.client.send(startServer, { params: { id: '150a0a0a' }, query: wait })
    await vi.waitFor(async () => {
      const { body } = await node.client.send(getConsole, { params: { id: '150a0a0a' } })
      expect(body.logs).toMatch(/fork|Resource temporarily unavailable/)
    }, patience)
    expect(getSleepers(folder)).toBeLessThanOrEqual(40)
    const other = await node.client.watch('150b0b0b')
    await node.client.send(startServer, { params: { id: '150b0b0b' }, query: wait })
    await other.untilText('fine\n')
    const before = performance.now()
    await node.client.send(killServer, { params: { id: '150a0a0a' }, query: wait })

    expect(performance.now() - before).toBeLessThan(4_000)
    expect(getSleepers(folder)).toBe(0)
  },
)

test('a failed start leaves no control group behind', async () => {
  await using fixture = await KeeperFixture.create()
  const isolation = await Isolation.open({ dataDir: fixture.dataDir })
  const keepers = await fixture.open({ isolation })
  const plan = getPlan('a/main', 'echo')
  const { run, out } = await startReading(keepers, plan)
  await out.until(/ready/)

  await expect(keepers.start(plan)).rejects.toMatchObject({ code: 'ErrProcessRunning' })
  await run.kill()
  await run.exited
  run.release()
  await fixture.close(keepers)

  expect(getGroups(fixture.dataDir)).toEqual([])
})

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
  } catch {
    return false
  }
}

/** Number of sleep processes in a directory. */
function getSleepers(folder: string): number {
  const script = `for p in /proc/[0-9]*; do [ "$(readlink $p/cwd)" = "${folder}" ] && [ -n "$(cat $p/cmdline 2>/dev/null | tr -d '\\0')" ] && echo $p; done; true`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean).length
}

/** The control groups of a node's runs. */
function getGroups(dataDir: string): string[] {
  const name = execFileSync('sh', ['-c', `printf %s "${dataDir}" | sha256sum | cut -c1-12`], {
    encoding: 'utf8',
  }).trim()
  const found = execFileSync(
    'sh',
    ['-c', `find /sys/fs/cgroup -mindepth 2 -type d -path '*/innkeeper/${name}/*'; true`],
    {
      encoding: 'utf8',
    },
  )
  return found.split('\n').filter(Boolean)
}
