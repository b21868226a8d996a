import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeFileAtomic, writeFileAtomicSync } from './atomic-write.ts'

function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'innkeeper-atomic-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

const variants = [
  ['asynchronously, with fsync', writeFileAtomic, {}],
  ['asynchronously, without fsync', writeFileAtomic, { fsync: false }],
  ['synchronously, with fsync', writeFileAtomicSync, {}],
  ['synchronously, without fsync', writeFileAtomicSync, { fsync: false }],
] as const

test.each(variants)('a file is replaced %s, and only its owner may read it', async (_name, write, options) => {
  const dir = temporaryDirectory()
  const path = join(dir, 'state.json')
  await write(path, 'old and longer', options)

  await write(path, 'new', options)

  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(dir)).toEqual(['state.json'])
})

test.each(variants)('a write %s that fails leaves no temporary file', async (_name, write, options) => {
  const dir = temporaryDirectory()
  const path = join(dir, 'folder')
  mkdirSync(join(path, 'inside'), { recursive: true })

  await expect((async () => await write(path, 'new', options))()).rejects.toThrow(/EISDIR|ENOTEMPTY/)

  expect(readdirSync(dir)).toEqual(['folder'])
})
