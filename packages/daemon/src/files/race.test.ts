import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { expect } from 'vitest'
import { fingerprint, test } from '../testing/test-directory.ts'
import { formatPath, parsePath, rootPath } from './path/safe-path.ts'

/** Minimum duration of each race; `RACE_MS=10000` runs longer ones. */
const raceMs = Number(process.env.RACE_MS ?? 3000)

/** Maximum duration on a busy machine, if both variants have not been observed by then. */
const patienceMs = raceMs + 20_000

/**
 * Swaps two variants of a name as fast as possible: one, then the other, then nothing. Links are created anew each
 * time, because a save that replaces the name removes the link.
 */
const swapper = `
  const { renameSync, rmSync, symlinkSync } = require('node:fs')
  const { inside, doors, links } = require('node:worker_threads').workerData
  let aside = 0
  for (;;) {
    for (const [door, ...faces] of doors) {
      for (const face of faces) {
        if (face in links) {
          rmSync(inside + '/' + face, { force: true })
          symlinkSync(links[face], inside + '/' + face)
        }
        try {
          renameSync(inside + '/' + face, inside + '/' + door)
        } catch {
          // While there was nothing, something of this name was made: it goes out of the way.
          try { renameSync(inside + '/' + door, inside + '/aside/' + aside++) } catch {}
          continue
        }
        try { renameSync(inside + '/' + door, inside + '/' + face) } catch {}
      }
    }
  }`

test('names that change between directory, file and link during use allow no access to the outside, in either direction', {
  timeout: patienceMs + 60_000,
}, async ({ fixture: { files, inside, outside } }) => {
  for (const folder of ['real/sub', 'aside', 'copies', 'stolen', 'work/real/sub']) {
    mkdirSync(join(inside, folder), { recursive: true })
  }
  for (const folder of ['real', 'real/sub', 'work/real', 'work/real/sub']) {
    writeFileSync(join(inside, folder, 'secret.txt'), 'inside')
  }
  for (const folder of ['victim', 'sub', 'real/sub']) mkdirSync(join(outside, folder), { recursive: true })
  for (const folder of ['victim', 'sub', 'real/sub']) writeFileSync(join(outside, folder, 'secret.txt'), 'outside')
  symlinkSync('..', join(inside, 'link'))
  symlinkSync(outside, join(inside, 'work/link'))
  writeFileSync(join(inside, 'note-real'), 'inside')
  const before = fingerprint(outside, 'abc')
  const doors = [
    ['door', 'real', 'link'],
    ['work/door', 'work/real', 'work/link'],
    ['note', 'note-real', 'note-link'],
  ]
  const racing = new Worker(swapper, {
    eval: true,
    workerData: { inside, doors, links: { 'note-link': '../secret.txt' } },
  })

  let number = 0
  const at = (text: string) => parsePath(text)
  const acts: Record<string, () => Promise<unknown>> = {
    read: async () => String(await files.readFile(at('door/secret.txt'), 100)),
    readNote: async () => String(await files.readFile(at('note'), 100)),
    write: () => files.writeFile(at('door/secret.txt'), 'inside'),
    writeNote: () => files.writeFile(at('note'), 'inside'),
    saveNew: async () => {
      await using draft = await files.draft(at(`door/new-${number++}`), { onConflict: 'refuse' })
      await draft.commit()
    },
    truncate: async () => await (await files.open(at('door/secret.txt'), { write: true, truncate: true })).close(),
    append: async () => await (await files.open(at('door/appended'), 'append')).close(),
    make: () => files.mkdirs(at('door/made')),
    remove: () => files.removeTree(at('door/victim')),
    removeSub: () => files.removeTree(at('door/sub')),
    list: async () => (await files.readdir(at('door'))).map(({ name }) => name).join(),
    walk: async () => await readAll(at('work/door')),
    walkAll: async () => await readAll(rootPath),
    copy: async () => await files.copyTree(at('door'), at(`copies/${number++}`), { onConflict: 'keepBoth' }),
    copySub: async () => await files.copyTree(at('work/door/sub'), at(`copies/${number++}`), { onConflict: 'replace' }),
    copyInto: async () => await files.copyTree(at('work/real'), at('door/copied'), { onConflict: 'replace' }),
    moveOut: () => files.rename(at('door/secret.txt'), at(`stolen/${number++}`), { onConflict: 'refuse' }),
    moveIn: async () => {
      await files.writeFile(at(`stolen/${number}`), 'inside')
      await files.rename(at(`stolen/${number}`), at('door/moved'))
    },
    setMode: () => files.setStat(at('door/secret.txt'), { mode: 0o700, modified: new Date(0) }),
    setNote: () => files.setStat(at('note'), { mode: 0o700 }),
    readPieces: async () => {
      return await readText(async () => await files.open(at('door/secret.txt'), 'read'))
    },
    readNotePieces: async () => {
      return await readText(async () => await files.open(at('note'), 'read'))
    },
    truncatePieces: async () => {
      const opening = { write: true, create: true, truncate: true }
      await using file = await files.open(at('door/secret.txt'), opening)
      await file.write('inside', 0)
    },
    link: () => files.symlink('sub', at(`door/link-${number++}`)),
    stat: async () => (await files.stat(at('door/abcd')))?.kind,
    freeName: () => files.freeName(at('door'), 'secret.txt'),
    sweep: () => files.removeLeftovers(),
  }
  async function readText(open: () => Promise<FileHandle>): Promise<string> {
    await using file = await open()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(100), 0, 100, 0)
    return buffer.toString('utf8', 0, bytesRead)
  }
  const refusalIn = (error: unknown): string => {
    if (error instanceof Refusal) return error.code
    throw error
  }
  async function readAll(path: typeof rootPath): Promise<string> {
    const read: string[] = []
    for await (const step of files.walk(path)) {
      if (step.info.kind !== 'file') continue
      // Entries that have become something else are skipped, so that walks end.
      const content = await readText(async () => await step.open()).catch((error: unknown) => refusalIn(error))
      if (content.includes('outside')) read.push(`${formatPath(step.path)}: ${content}`)
    }
    return read.join() || 'nothing of the outside'
  }
  const answers = new Map<string, Set<string>>(Object.keys(acts).map((name) => [name, new Set()]))
  const began = performance.now()
  const metBothFaces = () =>
    ['read', 'readNote'].every((name) =>
      ['inside', 'ErrIllegalFileAccess'].every((face) => answers.get(name)?.has(face)),
    ) && ['walk', 'walkAll'].every((name) => answers.get(name)?.has('nothing of the outside'))
  const racesOn = () => {
    const lasted = performance.now() - began
    return lasted < raceMs || (lasted < patienceMs && !metBothFaces())
  }
  const run = async (name: string, act: () => Promise<unknown>) => {
    while (racesOn()) {
      const answer = await act().then(String, (error: unknown) =>
        error instanceof Refusal ? error.code : String((error as NodeJS.ErrnoException).code ?? error),
      )
      answers.get(name)?.add(answer)
    }
  }
  await Promise.all(Object.entries(acts).map(([name, act]) => run(name, act)))
  await racing.terminate()

  expect(fingerprint(outside, 'abc')).toBe(before)
  for (const name of ['read', 'readNote', 'readPieces', 'readNotePieces', 'walk', 'walkAll']) {
    expect([...(answers.get(name) ?? [])].filter((answer) => answer.includes('outside'))).toEqual(
      name.startsWith('walk') ? ['nothing of the outside'] : [],
    )
  }
  expect([...(answers.get('list') ?? [])].filter((answer) => answer.includes('abcd'))).toEqual([])
  expect(answers.get('stat')).not.toContain('folder')
  // Nothing from outside was copied or moved in either.
  const found = execFileSync('sh', ['-c', 'grep -rl outside . || true'], { cwd: inside, encoding: 'utf8' })
  expect(found).toBe('')
  // The race was effective: both variants were observed.
  expect(answers.get('read')).toContain('inside')
  expect(answers.get('read')).toContain('ErrIllegalFileAccess')
  expect(answers.get('readNote')).toContain('inside')
  expect(answers.get('readNote')).toContain('ErrIllegalFileAccess')
})
