import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { environmentsOf, environmentTypeOf, Template } from '@innkeeper/contract/definition'
import { guardedVariables } from '@innkeeper/contract/docker'
import { Refusal } from '@innkeeper/contract/refusals'
import type { TemplateSummary } from '@innkeeper/contract/templates'
import type { Logger } from 'pino'
import { type Acting, enact } from '../access/acting.ts'
import type { CallerWith } from '../access/caller.ts'
import type { Versions } from '../access/serve.ts'
import { alone, upsert } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'

export type TemplatesService = ReturnType<typeof templatesService>

/** What servers can be made of. */
export function templatesService({ db, log }: { readonly db: Database; readonly log: Logger }) {
  /** A damaged row hides that one template, and is never written over. */
  function read(name: string, body: string): Template | undefined {
    try {
      return { ...Template.parse(JSON.parse(body)), name }
    } catch (error) {
      log.error({ err: error, template: name }, 'a template in the database is damaged and not offered')
      return undefined
    }
  }

  /** Every template that can be read, by name. */
  async function all(): Promise<(Template & { name: string })[]> {
    const rows = await db.selectFrom('templates').selectAll().orderBy('name').execute()
    return rows.flatMap(({ name, body }) => {
      const template = read(name, body)
      return template ? [{ ...template, name }] : []
    })
  }

  return {
    all,

    async list(): Promise<TemplateSummary[]> {
      return (await all()).map((template) => {
        const { name, display, type } = template
        return { name, display: display ?? undefined, type, supportedEnvironments: [...environmentsOf(template)] }
      })
    },

    /** A template with the version that it has at the moment. */
    async get(name: string): Promise<{ template: Template; version: string }> {
      const row = await db.selectFrom('templates').selectAll().where('name', '=', name).executeTakeFirst()
      const template = row && read(row.name, row.body)
      if (!template) throw new Refusal('ErrNoTemplate', { template: name })
      const whole = { ...template, supportedEnvironments: [...environmentsOf(template)] }
      return { template: whole, version: versionOf(row.body) }
    },

    /**
     * Creates or replaces, unless it is not what the caller has seen. Answers the new version. Containers are made by
     * administrators; others take those that there are.
     */
    async put(
      caller: CallerWith<'templates.edit'>,
      name: string,
      template: Template,
      acting: Acting,
      { seen, mustBeNew }: Pick<Versions, 'seen' | 'mustBeNew'> = { seen: undefined, mustBeNew: false },
    ): Promise<string> {
      if (!caller.isAdmin) {
        const known = (await all()).flatMap(containersOf)
        const isKnown = (container: object) => known.some((one) => isDeepStrictEqual(one, container))
        if (!containersOf(template).every(isKnown)) throw new Refusal('ErrMissingScope', { scope: 'servers.admin' })
      }
      const row = { name, body: JSON.stringify({ ...template, name }) }
      await enact(acting, db, async (transaction) => {
        await alone(transaction, 'templates')
        const held = await transaction
          .selectFrom('templates')
          .select('body')
          .where('name', '=', name)
          .executeTakeFirst()
        if (mustBeNew && held) throw new Refusal('ErrDuplicateTemplateName')
        if (seen !== undefined && seen !== (held && versionOf(held.body))) {
          throw new Refusal('ErrStaleVersion', await lastChangeOf(transaction, name))
        }
        await upsert(transaction, 'templates', ['name'], row)
      })
      return versionOf(row.body)
    },

    async remove(name: string, acting: Acting): Promise<void> {
      await enact(acting, db, async (transaction) => {
        const { numDeletedRows } = await transaction.deleteFrom('templates').where('name', '=', name).executeTakeFirst()
        if (numDeletedRows === 0n) throw new Refusal('ErrNoTemplate', { template: name })
      })
    },
  }
}

/** Stands for what is kept: another one as soon as anything is different. */
function versionOf(body: string): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, 22)
}

/** Who changed a template last, as far as the record of activity goes back. */
async function lastChangeOf(transaction: Transaction, name: string): Promise<{ by?: string }> {
  const last = await transaction
    .selectFrom('activity')
    .select('username')
    .where('action', 'in', ['template.edit', 'template.delete'])
    .where('target', '=', name)
    .where('result', '=', 'done')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.username ? { by: last.username } : {}
}

/** What decides on the containers of a template: their environments, and the variables that name image and network. */
function containersOf(template: Template): readonly object[] {
  const { data, ...whole } = Template.parse(JSON.parse(JSON.stringify(template)))
  const { environment: preferred } = whole
  return [...environmentsOf({ ...whole, data }), ...(preferred ? [preferred] : [])]
    .filter((environment) => environmentTypeOf(environment) === 'docker')
    .map((environment) => ({ environment, variables: guardedVariables(environment).map((name) => data[name]) }))
}
