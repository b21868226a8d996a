import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, inspectDatabase, migrateDatabase } from '@innkeeper/panel/database/database'
import { migrateTo } from '@innkeeper/panel/database/migrations'
import { bareDatabase, test } from '@innkeeper/panel/testing/databases'
import pino from 'pino'
import { expect } from 'vitest'
import { readConfig } from '../installation/config.ts'
import { backUpBeforeUpgrade } from './before-upgrade.ts'
import { checkBackup, restoreBackup } from './restore-backup.ts'

async function contextIn(folder: string, databaseUrl: string) {
  await writeFile(join(folder, 'config.json'), JSON.stringify({ dataDir: join(folder, 'data'), databaseUrl }))
  const config = readConfig({ INNKEEPER_CONFIG: join(folder, 'config.json') }, folder)
  return { config, version: '1.2.3', log: pino({ level: 'silent' }) }
}

/** A database of an earlier version, with one user. */
async function olderDatabase(folder: string): Promise<string> {
  const url = await bareDatabase(folder)
  const db = await connect(url)
  await migrateTo(db, '0005-nodes')
  const names = { username: 'Mara', username_key: 'mara', email: 'm@x', email_key: 'm@x' }
  await db
    .insertInto('users')
    .values({ id: 1, ...names, password: '', created_at: 5 })
    .execute()
  await db.destroy()
  return url
}

test('a database on a server is backed up before its migration, and the backup restores into another one', async ({
  folder,
}) => {
  const context = await contextIn(folder, await olderDatabase(folder))

  const { steps, copy = '' } = await migrateDatabase(context.config.databaseUrl, context.log, () =>
    backUpBeforeUpgrade(context),
  )

  expect(steps[0]).toBe('0006-node-ports')
  expect(await readdir(context.config.backupDir)).toEqual([
    expect.stringMatching(/^before-upgrade-\d{8}T[\d.]+Z\.backup$/),
  ])
  const other = await contextIn(folder, await bareDatabase(folder))
  {
    await using backup = await checkBackup(copy, other, undefined)
    await restoreBackup(backup, other, undefined)
  }
  const db = await connect(other.config.databaseUrl)
  expect(await db.selectFrom('users').select('username').execute()).toEqual([{ username: 'Mara' }])
  await db.destroy()
})

test('an empty database is filled from a backup while definitions of servers lie in the folder', async ({ folder }) => {
  const context = await contextIn(folder, await olderDatabase(folder))
  const { copy = '' } = await migrateDatabase(context.config.databaseUrl, context.log, () =>
    backUpBeforeUpgrade(context),
  )
  const machine = join(folder, 'machine')
  await mkdir(join(machine, 'data', 'servers'), { recursive: true })
  await writeFile(join(machine, 'data', 'servers', '0a0a0a0a.json'), '{"id":"0a0a0a0a"}')
  const other = await contextIn(machine, await bareDatabase(machine))

  await using backup = await checkBackup(copy, other, undefined)
  const { previous = '', others } = await restoreBackup(backup, other, undefined)

  const db = await connect(other.config.databaseUrl)
  expect(await db.selectFrom('users').select('username').execute()).toEqual([{ username: 'Mara' }])
  await db.destroy()
  expect(others).toEqual(['servers/0a0a0a0a.json'])
  // What was there before can be restored, too.
  await using before = await checkBackup(previous, other, undefined)
  expect(before.manifest.files.map(({ path }) => path)).toContain('servers/0a0a0a0a.json')
})

test('nothing is migrated when the backup fails', async ({ folder }) => {
  const context = await contextIn(folder, await olderDatabase(folder))
  await writeFile(join(folder, 'full'), '')
  const broken = { ...context, config: { ...context.config, backupDir: join(folder, 'full') } }

  await expect(
    migrateDatabase(context.config.databaseUrl, context.log, () => backUpBeforeUpgrade(broken)),
  ).rejects.toThrow(/EEXIST|ENOTDIR/)

  expect((await inspectDatabase(context.config.databaseUrl)).applied.at(-1)?.name).toBe('0005-nodes')
})
