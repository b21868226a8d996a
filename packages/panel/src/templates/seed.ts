import type { Logger } from 'pino'
import { lock, runTransaction, upsert } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { readBundled } from './bundled-files.ts'
import { getDigest } from './templates.ts'

interface Deps {
  readonly db: Database
  readonly templatesDir: string
  readonly log: Logger
}

/** A bundled template as stored in the database. */
interface BundledTemplate {
  readonly name: string
  readonly body: string
}

/**
 * Seeds the database with the bundled templates: new ones are added, unedited ones are updated, edited and deleted ones
 * stay unchanged.
 */
export async function seedTemplates({ db, templatesDir, log }: Deps): Promise<void> {
  const { found, problems } = await readBundled(templatesDir, log)
  for (const problem of problems) log.error({ problem }, 'a bundled template is not valid and is skipped')
  const all = found.map(({ name, template }) => ({ name, body: JSON.stringify(template) }))
  await runTransaction(db, async (transaction) => {
    await lock(transaction, 'bundled templates')
    for (const bundled of all) await seed(transaction, bundled)
  })
}

async function seed(transaction: Transaction, { name, body }: BundledTemplate): Promise<void> {
  const seeded = await transaction
    .selectFrom('seeded_templates')
    .select(['digest', 'source'])
    .where('name', '=', name)
    .executeTakeFirst()
  const stored = await transaction.selectFrom('templates').select('body').where('name', '=', name).executeTakeFirst()

  const isNew = !seeded && !stored
  const isUnedited = seeded?.source === 'bundled' && stored && getDigest(stored.body) === seeded.digest
  if (isNew) await transaction.insertInto('templates').values({ name, body }).execute()
  else if (isUnedited && stored.body !== body) {
    await transaction.updateTable('templates').set({ body }).where('name', '=', name).execute()
  } else return

  await upsert(transaction, 'seeded_templates', ['name'], { name, digest: getDigest(body), source: 'bundled' })
}
