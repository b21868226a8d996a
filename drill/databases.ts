import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { overGalera } from './clusters/over-galera.ts'
import { overPostgres } from './clusters/over-postgres.ts'
import type { Drill } from './stage/drill.ts'

export const packages = {
  'galera-4': '/usr/lib/galera/libgalera_smm.so',
  haproxy: '/usr/sbin/haproxy',
  'mariadb-server-core': '/usr/sbin/mariadbd',
  postgresql: '/usr/lib/postgresql/*/bin/postgres',
}

/** Two panels on database clusters that lose a server under load. */
export async function run(drill: Drill): Promise<void> {
  for (const over of [overPostgres, overGalera]) {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-drill-'))
    drill.atEnd(() => rm(folder, { recursive: true, force: true }))
    await over(drill, folder)
  }
}
