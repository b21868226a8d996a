import { Refusal } from '@innkeeper/contract/errors/refusals'
import { Plan } from '@innkeeper/contract/orders/plans'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { affectsRows, lock, upsert } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { getVersion, requireCurrent } from '../database/versions.ts'
import type { TemplatesService } from '../templates/templates.ts'
import { planDefinition } from './plan-definition.ts'

interface Deps {
  readonly db: Database
  readonly templates: Pick<TemplatesService, 'get'>
}

export type PlansService = ReturnType<typeof plansService>

/** What servers of orders get. */
export function plansService({ db, templates }: Deps) {
  return {
    async list(): Promise<{ name: string; plan: Plan }[]> {
      const rows = await db.selectFrom('plans').selectAll().orderBy('name').execute()
      return rows.map(({ name, body }) => ({ name, plan: parsePlan(body) }))
    },

    async get(name: string): Promise<{ plan: Plan; version: string }> {
      const plan = await findPlan(db, name)
      if (!plan) throw new Refusal('ErrNotFound')
      return { plan, version: getVersion(plan) }
    },

    find: (name: string) => findPlan(db, name),

    /** Throws ErrNoTemplate, ErrStaleVersion, and ErrFieldInvalid for a plan with fewer ports than its template. */
    async put(name: string, plan: Plan, audit: AuditContext, expectedVersion?: string): Promise<void> {
      const { template } = await templates.get(plan.template)
      planDefinition(template, plan, {})
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, 'plans')
        requireCurrent(expectedVersion, await findPlan(transaction, name))
        await upsert(transaction, 'plans', ['name'], { name, body: JSON.stringify(plan) })
      })
    },

    async remove(name: string, audit: AuditContext): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        const deletion = transaction.deleteFrom('plans').where('name', '=', name)
        if (!(await affectsRows(deletion))) throw new Refusal('ErrNotFound')
      })
    },
  }
}

export const parsePlan = (body: string): Plan => Plan.parse(JSON.parse(body))

async function findPlan(on: Database, name: string): Promise<Plan | undefined> {
  const row = await on.selectFrom('plans').select('body').where('name', '=', name).executeTakeFirst()
  return row && parsePlan(row.body)
}
