import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Template } from '@innkeeper/contract/definition'
import { TemplateName } from '@innkeeper/contract/names'
import type { Logger } from 'pino'
import { alone, atomically, upsert } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'

interface Needs {
  readonly db: Database
  readonly templatesDir: string
  readonly log: Logger
}

/** A template that comes with the product, as it is kept in the database. */
interface Bundled {
  readonly name: string
  readonly body: string
}

/**
 * Brings the templates of the product into the database: new ones are added, those that nobody touched are updated,
 * edited and deleted ones stay as people left them.
 */
export async function seedTemplates({ db, templatesDir, log }: Needs): Promise<void> {
  const all = await readBundled(templatesDir, log)
  await atomically(db, async (transaction) => {
    await alone(transaction, 'bundled templates')
    for (const bundled of all) await seed(transaction, bundled)
  })
}

async function seed(transaction: Transaction, { name, body }: Bundled): Promise<void> {
  const seeded = await transaction
    .selectFrom('seeded_templates')
    .select('digest')
    .where('name', '=', name)
    .executeTakeFirst()
  const held = await transaction.selectFrom('templates').select('body').where('name', '=', name).executeTakeFirst()

  const isNew = !seeded && !held
  const isUntouched = seeded && held && digestOf(held.body) === seeded.digest
  if (isNew) await transaction.insertInto('templates').values({ name, body }).execute()
  else if (isUntouched && held.body !== body) {
    await transaction.updateTable('templates').set({ body }).where('name', '=', name).execute()
  } else return

  await upsert(transaction, 'seeded_templates', ['name'], { name, digest: digestOf(body) })
}

async function readBundled(templatesDir: string, log: Logger): Promise<readonly Bundled[]> {
  const folders = await readdir(templatesDir, { withFileTypes: true }).catch((error: unknown) => {
    log.warn({ err: error, templatesDir }, 'there are no bundled templates')
    return []
  })
  const names = folders.filter((entry) => entry.isDirectory() && TemplateName.safeParse(entry.name).success)
  const read = await Promise.all(
    names.map(async ({ name }) => {
      try {
        return await readOne(join(templatesDir, name), name)
      } catch (error) {
        log.error({ err: error, template: name }, 'a bundled template cannot be read and is left out')
        return undefined
      }
    }),
  )
  return read.filter((bundled) => bundled !== undefined)
}

async function readOne(folder: string, name: string): Promise<Bundled> {
  const template = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as object
  const readme = await readFile(join(folder, 'README.md'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const whole = { ...template, name, ...(readme === undefined ? {} : { readme }) }
  Template.parse(whole)
  return { name, body: JSON.stringify(whole) }
}

function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('hex')
}
