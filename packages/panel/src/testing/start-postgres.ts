import type { TestProject } from 'vitest/node'
import { DatabaseServer } from './database-server.ts'

/** Before the tests of a run: one PostgreSQL for all of them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await DatabaseServer.create('postgres')
  project.provide('databaseServer', { kind: 'postgres', home: server.url() })
  return () => server.remove()
}
