import type { TestProject } from 'vitest/node'
import { DatabaseServer } from './database-server.ts'
import { PgBouncer } from './pgbouncer.ts'

/** Global setup: one PostgreSQL server for all tests of a run, by way of PgBouncer with the settings of the project. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await DatabaseServer.create('postgres')
  const pooler = await PgBouncer.start(server.url(), project.getProvidedContext().poolerSettings)
  project.provide('databaseServer', { kind: 'postgres', dataDir: pooler.url })
  return async () => {
    await pooler[Symbol.asyncDispose]()
    await server.remove()
  }
}
