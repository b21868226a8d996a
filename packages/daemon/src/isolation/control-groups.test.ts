import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import { ControlGroups } from './control-groups.ts'

/** A directory that stands in for the cgroup file systems. What is written can be inspected. */
const test = base.extend<{ dir: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: a fixture that needs no other
  dir: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), 'innkeeper-groups-'))
    await use(dir)
    await rm(dir, { recursive: true })
  },
})

const dataDir = '/srv/innkeeper'

/** A unified hierarchy (cgroup v2) with these controllers. */
function unified(dir: string, controllers: string): string {
  mkdirSync(join(dir, 'two'))
  writeFileSync(join(dir, 'two', 'cgroup.controllers'), `${controllers}\n`)
  writeFileSync(join(dir, 'two', 'cgroup.subtree_control'), 'cpu\n')
  return `cgroup2 ${dir}/two cgroup2 rw,nosuid 0 0\n`
}

const read = (...path: string[]) => readFileSync(join(...path), 'utf8')
const nodeFolder = (parent: string) =>
  join(parent, 'innkeeper', readdirSync(join(parent, 'innkeeper')).find((name) => !name.startsWith('cgroup.')) ?? '')

test('cgroup v2 limits memory, CPU and processes, disables swap and kills the whole group on OOM', ({ dir }) => {
  const groups = ControlGroups.open({
    dataDir,
    mounts: unified(dir, 'cpuset cpu io memory pids'),
    own: '',
    isRoot: true,
  })
  const folder = nodeFolder(join(dir, 'two'))

  const [file, ...others] = groups.create('run', { memory: 512, cpu: 150, processes: 100.5 })

  expect(others).toEqual([])
  expect(file).toBe(join(folder, 'run', 'cgroup.procs'))
  expect(read(folder, 'run', 'memory.max')).toBe(String(512 * 1024 * 1024))
  expect(read(folder, 'run', 'cpu.max')).toBe('150000 100000')
  expect(read(folder, 'run', 'pids.max')).toBe('100')
  expect(read(dir, 'two', 'cgroup.subtree_control')).toBe('+memory +pids')
  for (const control of ['memory', 'cpu', 'processes'] as const) expect(groups.missingReason(control)).toBeUndefined()
})

test('a server without limits has a default process limit', ({ dir }) => {
  const groups = ControlGroups.open({ dataDir, mounts: unified(dir, 'cpu memory pids'), own: '', isRoot: true })

  groups.create('run', {})

  const folder = nodeFolder(join(dir, 'two'))
  expect(read(folder, 'run', 'pids.max')).toBe('4096')
  expect(existsSync(join(folder, 'run', 'memory.max'))).toBe(false)
})

test("a delegated group is divided below the daemon's own, and again after a restart", ({ dir }) => {
  const mounts = unified(dir, 'cpu memory pids')
  const own = join(dir, 'two', 'system.slice', 'innkeeper.service')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'cgroup.procs'), '71\n')

  ControlGroups.open({ dataDir, mounts, own: '0::/system.slice/innkeeper.service\n', isRoot: false }).create('one', {})
  ControlGroups.open({ dataDir, mounts, own: '0::/system.slice/innkeeper.service/daemon\n', isRoot: false }).create(
    'two',
    {},
  )

  expect(read(own, 'daemon', 'cgroup.procs')).toBe('71')
  expect(readdirSync(nodeFolder(own))).toEqual(expect.arrayContaining(['one', 'two']))
  expect(read(own, 'cgroup.subtree_control')).toContain('+memory')
})

test('cgroup v1 hierarchies provide the controllers that v2 does not', ({ dir }) => {
  const mounts = `${unified(dir, '')}cgroup ${dir}/m cgroup rw,memory 0 0\ncgroup ${dir}/with\\040blank cgroup rw,cpu,cpuacct 0 0\n`
  const groups = ControlGroups.open({ dataDir, mounts, own: '', isRoot: true })

  const files = groups.create('run', { memory: 1, cpu: 0.1 })

  expect(files).toHaveLength(3)
  expect(read(nodeFolder(join(dir, 'm')), 'run', 'memory.limit_in_bytes')).toBe('1048576')
  expect(read(nodeFolder(join(dir, 'with blank')), 'run', 'cpu.cfs_quota_us')).toBe('1000')
  expect(groups.missingReason('memory')).toBeUndefined()
  expect(groups.missingReason('processes')).toBe('this system has no control groups for it')
})

test('a system without control groups enforces nothing and reports it', () => {
  const groups = ControlGroups.open({ dataDir, mounts: 'tmpfs /tmp tmpfs rw 0 0\n', own: '', isRoot: true })

  expect(groups.create('run', { memory: 1 })).toEqual([])
  expect(groups.members('run')).toEqual([])
  expect(groups.ranOutOfMemory('run')).toBe(false)
  expect(groups.missingReason('memory')).toBe('this system has no control groups for it')
})
