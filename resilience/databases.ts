import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { galeraSuite } from './clusters/galera-suite.ts'
import { postgresSuite } from './clusters/postgres-suite.ts'
import type { Suite } from './harness/suite.ts'

export const packages = {
  'galera-4': '/usr/lib/galera/libgalera_smm.so',
  haproxy: '/usr/sbin/haproxy',
  'mariadb-server-core': '/usr/sbin/mariadbd',
  postgresql: '/usr/lib/postgresql/*/bin/postgres',
}

/** Two panels on database clusters whose servers fail under load. */
export async function run(suite: Suite): Promise<void> {
  for (const runOnCluster of [postgresSuite, galeraSuite]) {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-resilience-'))
    suite.onCleanup(() => rm(folder, { recursive: true, force: true }))
    await runOnCluster(suite, folder)
  }
}
