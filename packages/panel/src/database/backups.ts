import { closeSync, openSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from './schema.ts'

const kept = 3

/** Copies an embedded database as it is at this moment to a file beside it; the oldest copies go. */
export async function backUp(db: Database, path: string, now = new Date()): Promise<string> {
  const copy = `${path}.backup-${now.toISOString().replace(/[-:]/g, '')}`
  // An empty file is filled. Its mode keeps it from everybody else, as the database itself is kept.
  closeSync(openSync(copy, 'wx', 0o600))
  try {
    await sql`vacuum into ${copy}`.execute(db)
  } catch (error) {
    await rm(copy, { force: true })
    throw error
  }
  await dropOldest(path)
  return copy
}

async function dropOldest(path: string): Promise<void> {
  const copies = (await readdir(dirname(path))).filter((name) => name.startsWith(`${basename(path)}.backup-`)).sort()
  await Promise.all(copies.slice(0, -kept).map((name) => rm(join(dirname(path), name), { force: true })))
}
