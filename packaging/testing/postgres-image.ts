import { globSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { run } from '../build/run.ts'
import type { DockerEngine } from './docker-engine.ts'

/** Like the entry point of the official image, for the variables that the compose file sets. */
const entryPoint = `#!/bin/sh
set -eu
if [ "$(id -u)" = 0 ]; then
  install -d -m 700 -o postgres -g postgres "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --clear-groups -- "$0"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  echo "$POSTGRES_PASSWORD" > /tmp/password
  initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl --wait --options="-c listen_addresses=''" start
  createdb --username="$POSTGRES_USER" --maintenance-db=postgres "$POSTGRES_DB"
  pg_ctl --wait stop
fi
exec postgres -c 'listen_addresses=*'
`

const dockerfile = (baseImage: string, programs: string) => `FROM ${baseImage}
COPY files /
RUN useradd --system --uid 999 --no-create-home postgres && install -d -o postgres /var/run/postgresql /var/lib/postgresql
ENV PATH=${programs}:$PATH LD_LIBRARY_PATH=/usr/lib/postgresql/libraries LANG=C.UTF-8 PGDATA=/var/lib/postgresql/data
VOLUME /var/lib/postgresql/data
STOPSIGNAL SIGINT
ENTRYPOINT ["/entrypoint.sh"]
`

/** Builds an image of PostgreSQL from the Debian package of this machine, because there may be no network. */
export async function buildPostgresImage(
  engine: DockerEngine,
  folder: string,
  image: string,
  baseImage: string,
): Promise<void> {
  const [server = ''] = globSync('/usr/lib/postgresql/*/bin/postgres')
  const programs = dirname(server)
  const version = basename(dirname(programs))
  const files = join(folder, 'files')
  const libraries = join(files, 'usr/lib/postgresql/libraries')
  await mkdir(libraries, { recursive: true })

  // Just-in-time compilation is optional, and LLVM is large.
  const isNeeded = (path: string) => !/\/bitcode|llvmjit/.test(path)
  for (const path of [dirname(programs), `/usr/share/postgresql/${version}`])
    await cp(path, join(files, path), { recursive: true, filter: isNeeded, verbatimSymlinks: true })
  for (const library of getLibraries(globSync(`${files}${dirname(programs)}/{bin,lib}/{*.so,*}`)))
    await cp(library, join(libraries, basename(library)), { dereference: true })
  await writeFile(join(files, 'entrypoint.sh'), entryPoint, { mode: 0o755 })
  await writeFile(join(folder, 'Dockerfile'), dockerfile(baseImage, programs))
  engine.docker(['build', '--quiet', '--network', 'none', '--tag', image, folder])
}

/** The shared libraries that programs load, without those of the C library, which the base image has. */
function getLibraries(programs: readonly string[]): Set<string> {
  const [lines, path] = [run(['sh', '-c', 'ldd "$@" 2>/dev/null || true', 'ldd', ...programs]), /=> (\/\S+)/]
  const found = lines.split('\n').flatMap((line) => path.exec(line)?.[1] ?? [])
  return new Set(found.filter((library) => !/^(libc|libm|libdl|librt|libpthread)\.so/.test(basename(library))))
}
