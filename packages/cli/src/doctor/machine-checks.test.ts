import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import type { Check } from './checks.ts'
import { clockCheck, diskCheck, nodeVersionCheck, openFilesCheck } from './machine-checks.ts'

const test = base.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-doctor-'))
    await use(folder)
    await rm(folder, { recursive: true })
  },
})

/** The states by name. */
async function readStates({ run }: Check, signal = new AbortController().signal): Promise<Record<string, string>> {
  const results = [await run(signal)].flat()
  return Object.fromEntries(results.map(({ name, state }) => [name, state]))
}

test.for([
  ['24.11.0', 'ok'],
  ['26.0.0', 'ok'],
  ['24.10.9', 'failed'],
  ['22.20.0', 'failed'],
] as const)('Node.js %s is %s', async ([version, nodejs]) => {
  expect(await readStates(nodeVersionCheck(version))).toEqual({ nodejs })
})

test.for([
  ['65536', 'ok'],
  ['unlimited', 'ok'],
  ['1024', 'warning'],
] as const)('a limit of %s open files is %s', async ([hard, state]) => {
  const text = `Limit                     Soft Limit           Hard Limit           Units\nMax open files            1024                 ${hard}                files\n`

  expect(await readStates(openFilesCheck(async () => text))).toEqual({ 'open-files': state })
})

const gibibyte = 1024 ** 3

test.for([
  ['much of both', { free: 50, ffree: 90_000 }, { 'disk-space': 'ok', inodes: 'ok' }],
  ['little of both', { free: 5, ffree: 5_000 }, { 'disk-space': 'warning', inodes: 'warning' }],
  ['nothing', { free: 0, ffree: 0 }, { 'disk-space': 'failed', inodes: 'failed' }],
  ['no limit of inodes', { free: 50, ffree: 0, files: 0 }, { 'disk-space': 'ok', inodes: 'ok' }],
] as const)('a disk with %s', async ([, { free, ffree, ...rest }, states]) => {
  const files = 'files' in rest ? rest.files : 100_000
  const blocks = { bsize: gibibyte, blocks: 100, bfree: free, bavail: free }

  expect(await readStates(diskCheck('/nowhere/data', async () => ({ ...blocks, files, ffree })))).toEqual(states)
})

test('the disk of a data folder that does not exist is that of the folder above', async ({ folder }) => {
  const [space] = [await diskCheck(join(folder, 'a', 'b')).run(new AbortController().signal)].flat()

  expect(space?.message).toMatch(RegExp(`GiB are free at ${folder}\\.$`))
})

test.for([
  ['timedatectl', 'echo yes', 'ok'],
  ['timedatectl', 'echo no', 'warning'],
  ['timedatectl', 'echo broken >&2; exit 1', 'warning'],
  ['chronyc', 'echo "Leap status     : Normal"', 'ok'],
  ['chronyc', 'echo "Leap status     : Not synchronised"', 'warning'],
  ['other', 'echo yes', 'warning'],
] as const)('when %s does "%s" the clock is %s', async ([program, script, clock], { folder }) => {
  await writeFile(join(folder, program), `#!/bin/sh\n${script}\n`)
  await chmod(join(folder, program), 0o755)

  expect(await readStates(clockCheck(folder))).toEqual({ clock })
})
