import { closeSync, openSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from './schema.ts'

const keptCopies = 3

/** Copies an embedded database to a file beside it, and deletes the oldest copies. */
export async function backUp(db: Database, path: string, now = new Date()): Promise<string> {
  const copy = newFileFor(path, now)
  try {
    await sql`vacuum into ${copy}`.execute(db)
  } catch (error) {
    await rm(copy, { force: true })
    throw error
  }
  await dropOldest(path)
  return copy
}

/** Creates an empty file for the copy with the mode of the database, so that other users cannot read it. */
function newFileFor(path: string, now: Date): string {
  // Several panels may start in the same millisecond.
  for (let at = now.getTime(); ; at++) {
    const copy = `${path}.backup-${new Date(at).toISOString().replace(/[-:]/g, '')}`
    try {
      closeSync(openSync(copy, 'wx', 0o600))
      return copy
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}

async function dropOldest(path: string): Promise<void> {
  const copies = (await readdir(dirname(path))).filter((name) => name.startsWith(`${basename(path)}.backup-`)).sort()
  await Promise.all(copies.slice(0, -keptCopies).map((name) => rm(join(dirname(path), name), { force: true })))
}
