import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { findEnvironmentType, getEnvironments, Template } from '@innkeeper/contract/definitions/definition'
import { unusableDefinition, validateDefinition } from '@innkeeper/contract/definitions/definition-problems'
import { adminOnlyVariables } from '@innkeeper/contract/definitions/docker'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { TemplateSummary } from '@innkeeper/contract/templates/templates'
import type { TemplateReference } from '@innkeeper/contract/text/names'
import type { Logger } from 'pino'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { PrincipalWithScope } from '../access/principal.ts'
import { affectsRows, lock, upsert } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import type { VersionCondition } from '../database/versions.ts'

export type TemplatesService = ReturnType<typeof templatesService>

/** Templates of servers. */
export function templatesService({ db, log }: { readonly db: Database; readonly log: Logger }) {
  return {
    all: () => readTemplates(db, log),

    /** All templates, with the number of servers made from each. */
    async list(servers: ReadonlyMap<string, number>): Promise<TemplateSummary[]> {
      return (await readTemplates(db, log)).map((template) => ({
        name: template.name,
        display: template.display ?? undefined,
        type: template.type,
        supportedEnvironments: [...getEnvironments(template)],
        servers: servers.get(template.name) ?? 0,
      }))
    },

    /** The digests of the official versions last seeded or imported, by template. */
    async officialDigests(): Promise<ReadonlyMap<string, string>> {
      const rows = await db.selectFrom('seeded_templates').select(['name', 'digest']).execute()
      return new Map(rows.map(({ name, digest }) => [name, digest]))
    },

    /** ID and display name of a template; `undefined` when there is none. */
    async summary(name: string): Promise<TemplateReference | undefined> {
      const row = await findRow(db, name)
      const template = row && parseTemplate(log, row.name, row.body)
      return template && { name, display: template.display ?? undefined }
    },

    /** A template with its current version. */
    async get(name: string): Promise<{ template: Template; version: string }> {
      const row = await findRow(db, name)
      const template = row && parseTemplate(log, row.name, row.body)
      if (!template) throw new Refusal('ErrNoTemplate', { template: name })
      return { template: toView(template), version: getVersion(row.body) }
    },

    /**
     * Creates or replaces a template, with preconditions, and returns the new version. Only administrators may add
     * containers; others may use existing ones. A template that cannot run is rejected unless it is imported.
     */
    async put(
      principal: PrincipalWithScope<'templates.edit'>,
      name: string,
      template: Template,
      audit: AuditContext,
      { expectedVersion, mustBeNew }: VersionCondition = { expectedVersion: undefined, mustBeNew: false },
      { isImported = false, source }: ImportOptions = {},
    ): Promise<string> {
      const problem = isImported ? unusableDefinition(Template.parse(template)) : validateDefinition(template)
      if (problem) throw problem
      const row = { name, body: JSON.stringify({ ...template, name }) }
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, 'templates')
        if (!principal.isAdmin) {
          const known = (await readTemplates(transaction, log)).flatMap(getContainers)
          const isKnown = (container: object) => known.some((candidate) => isDeepStrictEqual(candidate, container))
          if (!getContainers(template).every(isKnown)) throw new Refusal('ErrMissingScope', { scope: 'servers.admin' })
        }
        const stored = await findRow(transaction, name)
        if (mustBeNew && stored) throw new Refusal('ErrDuplicateTemplateName')
        if (expectedVersion !== undefined && expectedVersion !== (stored && getVersion(stored.body))) {
          throw new Refusal('ErrStaleVersion', await readLastChange(transaction, name))
        }
        await upsert(transaction, 'templates', ['name'], row)
        if (source) {
          const official = { name, digest: getDigest(row.body), source }
          await upsert(transaction, 'seeded_templates', ['name'], official)
        }
      })
      return getVersion(row.body)
    },

    async remove(name: string, audit: AuditContext): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, 'templates')
        const deletion = transaction.deleteFrom('templates').where('name', '=', name)
        if (!(await affectsRows(deletion))) throw new Refusal('ErrNoTemplate', { template: name })
      })
    },
  }
}

export interface ImportOptions {
  /** Also accepts a template that cannot run as it is. */
  readonly isImported?: boolean
  /** Set when this is the official version of the catalog. */
  readonly source?: 'bundled' | 'index'
}

/** A template in a response: it always lists the offered environments. */
export function toView(template: Template): Template {
  return { ...template, supportedEnvironments: [...getEnvironments(template)] }
}

/** The digest of an official version, from its stored body. */
export function getDigest(body: string): string {
  return createHash('sha256').update(body).digest('hex')
}

/** The version of a stored template for `ETag`. */
function getVersion(body: string): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, 22)
}

/** The user who last changed a template, if it is still in the audit log. */
async function readLastChange(transaction: Transaction, name: string): Promise<{ by?: string }> {
  const last = await transaction
    .selectFrom('activity')
    .select('username')
    .where('action', 'in', ['template.edit', 'template.import', 'template.delete'])
    .where('target', '=', name)
    .where('result', '=', 'done')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.username ? { by: last.username } : {}
}

/** What decides on the containers of a template: environments, and variables in image and network. */
function getContainers(template: Template): readonly object[] {
  const { data, ...whole } = Template.parse(JSON.parse(JSON.stringify(template)))
  const { environment: preferred } = whole
  return [...getEnvironments({ ...whole, data }), ...(preferred ? [preferred] : [])]
    .filter((environment) => findEnvironmentType(environment) === 'docker')
    .map((environment) => ({ environment, variables: adminOnlyVariables(environment).map((name) => data[name]) }))
}

/** A damaged row hides that one template, and is not overwritten. */
function parseTemplate(log: Logger, name: string, body: string): Template | undefined {
  try {
    return { ...Template.parse(JSON.parse(body)), name }
  } catch (error) {
    log.error({ err: error, template: name }, 'a template in the database is damaged and is hidden')
    return undefined
  }
}

/** All valid templates, by name. */
async function readTemplates(db: Database, log: Logger): Promise<(Template & { name: string })[]> {
  const rows = await db.selectFrom('templates').selectAll().orderBy('name').execute()
  return rows.flatMap(({ name, body }) => {
    const template = parseTemplate(log, name, body)
    return template ? [{ ...template, name }] : []
  })
}

function findRow(db: Database, name: string) {
  return db.selectFrom('templates').selectAll().where('name', '=', name).executeTakeFirst()
}
