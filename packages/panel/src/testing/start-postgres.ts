import type { TestProject } from 'vitest/node'
import { DatabaseServer } from './database-server.ts'

/** Global setup: one PostgreSQL server for all tests of a run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await DatabaseServer.create('postgres')
  project.provide('databaseServer', { kind: 'postgres', dataDir: server.url() })
  return () => server.remove()
}
