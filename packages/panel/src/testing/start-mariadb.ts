import type { TestProject } from 'vitest/node'
import { DatabaseServer } from './database-server.ts'

/** Global setup: one MariaDB server for all tests of a run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await DatabaseServer.create('mariadb')
  project.provide('databaseServer', { kind: 'mariadb', dataDir: server.url() })
  return () => server.remove()
}
