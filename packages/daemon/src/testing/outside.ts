import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { type TarPart, tarBytes, type ZipPart, zipBytes } from './archive-bytes.ts'
import type { WebHost } from './web-host.ts'

/** Fake outside services, served by one web host. */
interface Outside {
  readonly host: WebHost
}

export const getDigest = (algorithm: string, content: string | Uint8Array) =>
  createHash(algorithm).update(content).digest('hex')

/** A jar in a Maven repository, with its checksum. */
export function maven({ host }: Outside, path: string, kind = 'sha1') {
  host.give(path, path)
  host.give(`${path}.${kind}`, getDigest(kind, path))
}

/** Mojang's responses: the list, the version, the server, each on a host of its own. */
export function mojang({ host }: Outside, server = 'a server', sha1 = getDigest('sha1', 'a server')) {
  const url = 'https://piston-data.mojang.com/v1/objects/5/server.jar'
  const version = (id: string) => ({
    id,
    type: 'release',
    url: `https://piston-meta.mojang.com/v1/packages/7/${id}.json`,
  })
  host.give('/mc/game/version_manifest.json', {
    latest: { release: '1.21.1', snapshot: '24w33a' },
    versions: [version('24w33a'), version('1.21.1'), version('rd-132211')],
  })
  host.give('/v1/packages/7/1.21.1.json', { downloads: { server: { sha1, size: server.length, url } } })
  host.give('/v1/packages/7/24w33a.json', { downloads: { server: { sha1, size: server.length, url } } })
  host.give('/v1/packages/7/rd-132211.json', { downloads: { client: { url } } })
  host.give('/v1/objects/5/server.jar', server)
}

const script = (says: string): string => `#!/bin/sh\necho ${says}\n`

/** Adoptium's response for a version: a JDK of two programs, hosted on GitHub. */
export function adoptium(
  { host }: Outside,
  major: number,
  { checksum, parts }: { checksum?: string; parts?: TarPart[] } = {},
) {
  const name = `jdk-${major}.0.5+11`
  const bytes = gzipSync(
    tarBytes(
      parts ?? [
        { name: `${name}/bin/java`, data: script(`java ${major}`), mode: 0o755 },
        { name: `${name}/bin/javac`, data: script(`javac ${major}`), mode: 0o755 },
        { name: `${name}/lib/modules`, data: 'modules' },
      ],
    ),
  )
  const link = `https://github.com/adoptium/${major}/jdk.tar.gz`
  host.give(`/v3/assets/feature_releases/${major}/ga`, [
    {
      release_name: name,
      binaries: [{ package: { link, checksum: checksum ?? getDigest('sha256', bytes), name: 'jdk.tar.gz' } }],
    },
  ])
  host.give(`/adoptium/${major}/jdk.tar.gz`, bytes)
}

export function nodejs({ host }: Outside, version: string) {
  const name = `node-v${version}-linux-x64`
  const bytes = gzipSync(
    tarBytes([
      { name: `${name}/bin/node`, data: '#!/bin/sh\necho node "${1##*/}" "$2"\n', mode: 0o755 },
      { name: `${name}/lib/node_modules/npm/bin/npm-cli.js`, data: '' },
    ]),
  )
  host.give(`/dist/v${version}/${name}.tar.gz`, bytes)
  host.give(
    `/dist/v${version}/SHASUMS256.txt`,
    `${'0'.repeat(64)}  other.tar.gz\n${getDigest('sha256', bytes)}  ${name}.tar.gz\n`,
  )
}

/** A fake DepotDownloader: lists its manifest, downloads, and reads a password from stdin. */
const fakeDownloader = `#!/bin/sh
echo "asked: $*"
given=$(cat)
echo "password has \${#given} characters, variable \${INNKEEPER_STEAM_PASSWORD:-is gone}"
manifest=
while [ $# -gt 0 ]; do
  case "$1" in
    -manifest-only) manifest=yes ;;
    -dir) dir=$2 ;;
    -app) app=$2 ;;
  esac
  shift
done
[ "$app" = 404 ] && exit 3
mkdir -p "$dir/bin"
if [ -n "$manifest" ]; then
  {
    echo 'Content Manifest for Depot 1'
    echo '          Size Chunks File SHA                                 Flags Name'
    echo '             0      0 0000000000000000000000000000000000000000    64 bin'
    echo '            12      1 1111111111111111111111111111111111111111     0 bin/srcds_run'
    echo '            12      1 2222222222222222222222222222222222222222     0 missing file'
    echo '            12      1 3333333333333333333333333333333333333333   512 ../../outside'
  } > "$dir/manifest_1_2.txt"
else
  echo game > "$dir/bin/srcds_run"
  chmod 644 "$dir/bin/srcds_run"
fi
`

const libraries = zipBytes([
  { name: 'linux32/steamclient.so', data: '32' },
  { name: 'linux64/steamclient.so', data: '64' },
])

export function steam({ host }: Outside, digest = (bytes: Buffer) => getDigest('sha256', bytes)) {
  const zip = zipBytes([
    { name: 'DepotDownloader', data: fakeDownloader },
    { name: 'README.md', data: 'read me' },
  ])
  const file = 'https://github.com/SteamRE/DepotDownloader/releases/download/DepotDownloader_3.4.0/a.zip'
  const asset = (name: string) => ({ name, browser_download_url: file, digest: `sha256:${digest(zip)}` })
  host.give('/repos/SteamRE/DepotDownloader/releases/latest', {
    tag_name: 'DepotDownloader_3.4.0',
    assets: [asset('DepotDownloader-framework.zip'), asset('DepotDownloader-linux-x64.zip')],
  })
  host.give(new URL(file).pathname, zip)
  host.give(
    '/client/steam_cmd_linux',
    `"linux"\n{\n\t"version"\t\t"1"\n\t"steamcmd_bins_linux"\n\t{\n\t\t"file"\t\t"steamcmd_bins_linux.zip.4a6b"
\t\t"size"\t\t"1"\n\t\t"sha2"\t\t"${digest(libraries)}"\n\t\t"zipvz"\t\t"steamcmd_bins_linux.zip.vz.77"\n\t}\n}\n`,
  )
  host.give('/client/steamcmd_bins_linux.zip.4a6b', libraries)
}

/** A mod pack with a server pack, and older and unreleased ones. */
export function curseforge({ host }: Outside, parts: readonly ZipPart[]) {
  const zip = zipBytes(parts)
  const file = (id: number, changes: object = {}) => ({
    id,
    displayName: `Pack ${id}`,
    fileDate: '2024-01-01T00:00:00Z',
    fileStatus: 4,
    releaseType: 1,
    isServerPack: false,
    downloadUrl: `https://edge.forgecdn.net/files/${id}.zip`,
    ...changes,
  })
  const server = file(77, {
    isServerPack: true,
    hashes: [
      { value: getDigest('sha1', zip), algo: 1 },
      { value: 'x', algo: 2 },
    ],
  })
  const newest = file(50, { fileDate: '2024-06-01T00:00:00Z', serverPackFileId: 77 })
  const beta = file(60, { fileDate: '2024-09-01T00:00:00Z', releaseType: 2 })
  const rejected = file(61, { fileDate: '2024-09-01T00:00:00Z', fileStatus: 5 })
  host.give('/v1/mods/925200', { data: { id: 925200, latestFiles: [file(40), newest, beta, rejected] } })
  for (const one of [newest, server, file(41, { downloadUrl: null, isServerPack: true })])
    host.give(`/v1/mods/925200/files/${one.id}`, { data: one })
  host.give('/files/77.zip', zip)
  host.give('/files/50.zip', zip)
}
