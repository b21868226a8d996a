import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const urlOf = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)

const compileAhead = `(await import(${urlOf('compile-ahead.ts')})).compileAhead`
const ahead = `await ${compileAhead}(new AbortController().signal)`

/** Threads with the programs that an archive takes. */
const threads = `
  const { Worker } = await import('node:worker_threads')
  for (const program of [${urlOf('../archives/deflate-worker.ts')}, ${urlOf('../archives/packing-worker.ts')}]) {
    const thread = new Worker('import(' + JSON.stringify(program) + ').then(() => process.exit())', { eval: true })
    await new Promise((resolve) => thread.once('exit', resolve))
  }`

test.each([[[]], [['--max-semi-space-size=4']]])(
  'threads find all compiled that they run, with options %j',
  (options) => {
    const folder = mkdtempSync(join(tmpdir(), 'innkeeper-compiled-'))
    /** Runs a program, and tells how much more is kept compiled afterwards. */
    const run = (program: string): number => {
      const before = readdirSync(folder, { recursive: true }).length
      execFileSync(process.execPath, [...options, '--input-type=module', '-e', program], {
        env: { NODE_COMPILE_CACHE: folder },
      })
      return readdirSync(folder, { recursive: true }).length - before
    }
    try {
      expect(run(ahead)).toBeGreaterThan(20)
      expect(run(threads)).toBe(0)

      // Otherwise they compile it themselves.
      rmSync(folder, { recursive: true })
      mkdirSync(folder)
      expect(run(threads)).toBeGreaterThan(20)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

test('whoever leaves waits for no more than the end of the process that compiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-compiled-'))
  const program = `
    const { readFileSync } = await import('node:fs')
    const processes = () => readFileSync('/proc/thread-self/children', 'utf8').split(' ').filter(Boolean).length
    const leaving = new AbortController()
    const compiling = ${compileAhead}(leaving.signal)
    const before = processes()
    leaving.abort()
    await compiling
    console.log(before, processes())`
  try {
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      env: { NODE_COMPILE_CACHE: folder },
      encoding: 'utf8',
    })
    expect(said).toBe('1 0\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
