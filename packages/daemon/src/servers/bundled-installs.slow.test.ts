import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Template } from '@innkeeper/contract/definitions/definition'
import { findUpstream, upstreams } from '@innkeeper/contract/http/upstreams'
import { expect, test } from 'vitest'
import { createFetcher, type Fetcher } from '../network/fetch.ts'
import { tarBytes, zipBytes } from '../testing/archive-bytes.ts'
import { adoptium, curseforge, getDigest, maven, mojang, nodejs, steam } from '../testing/outside.ts'
import { openWorkshop } from '../testing/step-fixture.ts'
import type { WebHost } from '../testing/web-host.ts'
import { templateVariables } from './launch/launch.ts'

const folder = fileURLToPath(new URL('../../../../templates', import.meta.url))
const names = globSync('*/*.json', { cwd: folder })
  .map((file) => basename(file, '.json'))
  .toSorted()

/** Responses of the template's download servers and Steam, and the files that a successful install must leave. */
interface Particulars {
  readonly answers?: (host: WebHost) => void
  readonly brings?: Readonly<Record<string, string>>
  readonly values?: Readonly<Record<string, string>>
  readonly leaves?: readonly string[]
}

/** Creates the files that the real installer would create. */
const java = `#!/bin/sh
case "$*" in
  *fabric-installer.jar*) echo > fabric-server-launch.jar ;;
  *quilt-installer.jar*) echo > quilt-server-launch.jar ;;
  *BuildTools.jar*) echo > ../server.jar ;;
  *neoforge-installer.jar*) made=libraries/net/neoforged/neoforge/21.1.77 ;;
  *forge-installer.jar*) made=libraries/net/minecraftforge/forge/1.21.1-52.1.0; echo > forge-1.12.2-14.23.5.2859.jar ;;
esac
[ -z "$made" ] || { mkdir -p "$made" && echo > "$made/unix_args.txt"; }
`

/** Sends the file name in a Content-Disposition header, as servers do whose URLs end in `download`. */
const named = (path: string, name: string) => (host: WebHost) =>
  host.answer(path, (_, response) =>
    response.setHeader('content-disposition', `attachment; filename="${name}"`).end('a server'),
  )

/** Redirects to the file itself. */
const behind = (path: string, file: string, content: string | Uint8Array) => (host: WebHost) => {
  host.answer(path, (_, response) => response.writeHead(302, { location: `/files/${file}` }).end())
  host.give(`/files/${file}`, content)
}

const paper = (project: string, version: string) => (host: WebHost) => {
  const url = `https://fill-data.papermc.io/v1/objects/${project}.jar`
  const jar = { name: `${project}.jar`, size: 7, url, checksums: { sha256: getDigest('sha256', project) } }
  const versions = [{ version: { id: version, support: { status: 'SUPPORTED' } }, builds: [12, 11] }]
  host.give(`/v3/projects/${project}/versions`, { versions })
  host.give(`/v3/projects/${project}/versions/${version}/builds/latest`, {
    id: 12,
    time: '2025-01-01T00:00:00Z',
    channel: 'STABLE',
    downloads: { 'server:default': jar },
  })
  host.give(`/v1/objects/${project}.jar`, project)
}

const program = (says: string) => `#!/bin/sh\n${says}\n`
const packed = (by: string, parts: Parameters<typeof tarBytes>[0]) =>
  execFileSync(by, ['-c'], { input: tarBytes(parts) })

const particulars: Readonly<Record<string, Particulars>> = {
  factorio: {
    answers: behind(
      '/www.factorio.com/get-download/stable/headless/linux64',
      'factorio-headless_linux_2.0.60.tar.xz',
      packed('xz', [{ name: 'factorio/bin/x64/factorio', data: program('echo > "$2"'), mode: 0o755 }]),
    ),
    leaves: ['factorio/bin/x64/factorio', 'saves/world.zip'],
  },
  mindustry: {
    answers: (host) => host.give('/Anuken/Mindustry/releases/download/v146/server-release.jar', 'a server'),
    leaves: ['server-release.jar'],
  },
  'minecraft-bedrock': {
    answers: (host) =>
      host.give(
        '/www.minecraft.net/bedrockdedicatedserver/bin-linux/bedrock-server-1.21.93.1.zip',
        zipBytes([
          { name: 'bedrock_server', data: program('true') },
          { name: 'server.properties', data: 'server-port=19132\n' },
        ]),
      ),
    leaves: ['bedrock_server', 'server.properties'],
  },
  'minecraft-bungeecord': {
    answers: (host) =>
      host.give(
        '/ci.md-5.net/job/BungeeCord/lastSuccessfulBuild/artifact/bootstrap/target/BungeeCord.jar',
        'a proxy of servers',
      ),
    leaves: ['BungeeCord.jar', 'config.yml'],
  },
  'minecraft-curseforge': {
    answers: (host) => curseforge({ host }, [{ name: 'Pack/server.jar', data: 'a pack' }]),
    values: { project: '925200' },
    leaves: ['server.jar', 'eula.txt'],
  },
  'minecraft-fabric': {
    answers: (host) => {
      host.give('/v2/versions/installer', [{ url: 'https://maven.fabricmc.net/fabric.jar', version: '1.0.1' }])
      maven({ host }, '/fabric.jar')
    },
    leaves: ['fabric-server-launch.jar'],
  },
  'minecraft-folia': { answers: paper('folia', '1.21.8'), leaves: ['server.jar'] },
  'minecraft-forge': {
    answers: (host) => {
      host.give('/net/minecraftforge/forge/promotions_slim.json', { promos: { '1.21.1-latest': '52.1.0' } })
      maven({ host }, '/net/minecraftforge/forge/1.21.1-52.1.0/forge-1.21.1-52.1.0-installer.jar')
    },
    leaves: ['libraries/net/minecraftforge/forge/1.21.1-52.1.0/unix_args.txt'],
  },
  'minecraft-forge-legacy': {
    answers: (host) =>
      maven({ host }, '/net/minecraftforge/forge/1.12.2-14.23.5.2859/forge-1.12.2-14.23.5.2859-installer.jar'),
    leaves: ['server.jar'],
  },
  'minecraft-mohist': {
    answers: named('/api.mohistmc.com/project/mohist/1.20.1/builds/latest/download', 'mohist-1.20.1-908-server.jar'),
    leaves: ['server.jar'],
  },
  'minecraft-neoforge': {
    answers: (host) => {
      const root = '/releases/net/neoforged/neoforge'
      const versions = ['21.1.77', '21.2.1-beta'].map((version) => `<version>${version}</version>`).join('')
      host.give(
        `${root}/maven-metadata.xml`,
        `<metadata><versioning><versions>${versions}</versions></versioning></metadata>`,
      )
      maven({ host }, `${root}/21.1.77/neoforge-21.1.77-installer.jar`)
    },
    leaves: ['libraries/net/neoforged/neoforge/21.1.77/unix_args.txt'],
  },
  'minecraft-paper': { answers: paper('paper', '1.21.8'), leaves: ['server.jar'] },
  'minecraft-purpur': {
    answers: named('/api.purpurmc.org/v2/purpur/1.21.8/latest/download', 'purpur-1.21.8-2484.jar'),
    leaves: ['server.jar'],
  },
  'minecraft-quilt': {
    answers: behind('/quiltmc.org/api/v1/download-latest-installer/java-universal', 'quilt-installer-0.12.1.jar', 'x'),
    leaves: ['quilt-server-launch.jar'],
  },
  'minecraft-spigot': {
    answers: (host) =>
      host.give(
        '/hub.spigotmc.org/jenkins/job/BuildTools/lastSuccessfulBuild/artifact/target/BuildTools.jar',
        'tools that build',
      ),
    leaves: ['server.jar'],
  },
  'minecraft-sponge': {
    answers: (host) => {
      const base = '/v2/groups/org.spongepowered/artifacts/spongevanilla/versions'
      const downloadUrl = 'https://repo.spongepowered.org/sponge.jar'
      host.give(base, { artifacts: { '1.21.1-12.0.2': { tagValues: { minecraft: '1.21.1' } } }, offset: 0, limit: 1 })
      host.give(`${base}/1.21.1-12.0.2`, {
        assets: [{ classifier: 'universal', extension: 'jar', downloadUrl, sha1: getDigest('sha1', 'Sponge') }],
      })
      host.give('/sponge.jar', 'Sponge')
    },
    leaves: ['server.jar'],
  },
  'minecraft-vanilla': { answers: (host) => mojang({ host }), leaves: ['server.jar', 'server.properties', 'eula.txt'] },
  'minecraft-velocity': { answers: paper('velocity', '3.4.0-SNAPSHOT'), leaves: ['velocity.jar', 'velocity.toml'] },
  'minecraft-waterfall': { answers: paper('waterfall', '1.21'), leaves: ['waterfall.jar', 'config.yml'] },
  pocketmine: {
    answers: (host) => {
      host.give('/pmmp/PocketMine-MP/releases/latest/download/PocketMine-MP.phar', 'a server')
      host.give(
        '/pmmp/PHP-Binaries/releases/download/pm5-php-8.2-latest/PHP-8.2-Linux-x86_64-PM5.tar.gz',
        packed('gzip', [{ name: 'bin/php7/bin/php', data: program('true'), mode: 0o755 }]),
      )
    },
    leaves: ['bin/php7/bin/php', 'PocketMine-MP.phar', 'server.properties'],
  },
  'project-zomboid': { brings: { 'ProjectZomboid64.json': '{"vmArgs": ["-Xmx8g"]}\n' } },
  'teamspeak-3': {
    answers: (host) =>
      host.give(
        '/files.teamspeak-services.com/releases/server/3.13.7/teamspeak3-server_linux_amd64-3.13.7.tar.bz2',
        packed('bzip2', [{ name: 'teamspeak3-server_linux_amd64/ts3server', data: program('true'), mode: 0o755 }]),
      ),
    leaves: ['teamspeak3-server_linux_amd64/ts3server'],
  },
  terraria: {
    answers: (host) =>
      host.give(
        '/terraria.org/api/download/pc-dedicated-server/terraria-server-1449.zip',
        zipBytes([{ name: '1449/Linux/TerrariaServer.bin.x86_64', data: program('true') }]),
      ),
    leaves: ['1449/Linux/TerrariaServer.bin.x86_64', 'serverconfig.txt'],
  },
  'terraria-tmodloader': {
    answers: (host) =>
      host.give(
        '/tModLoader/tModLoader/releases/latest/download/tModLoader.zip',
        zipBytes([{ name: 'tModLoader.dll', data: 'a server' }]),
      ),
    leaves: ['game/tModLoader.dll', 'serverconfig.txt'],
  },
  'terraria-tshock': {
    answers: (host) => {
      const name = 'TShock-5.2-for-Terraria-1.4.4.9-linux-x64-Release'
      const inner = tarBytes([{ name: 'TShock.Server.dll', data: 'a server' }])
      host.give(
        `/Pryaxis/TShock/releases/download/v5.2.0/${name}.zip`,
        zipBytes([{ name: `${name}.tar`, data: inner }]),
      )
    },
    leaves: ['game/TShock.Server.dll'],
  },
}

/** For hosts that are not a resolveMirror service, pages are looked up by URL path below the host name. */
function reaching(host: WebHost): Fetcher {
  const mirrors = Object.fromEntries(Object.keys(upstreams).map((name) => [name, host.url('/').href]))
  const fetch = createFetcher({ allow: [host.address], mirrors, version: '0' })
  return (url, options) => {
    const isKnown = findUpstream(url.hostname) !== undefined
    return fetch(isKnown ? url : host.url(`/${url.hostname}${url.pathname}${url.search}`), options)
  }
}

test.concurrent.each(names)(
  '%s is installed from recorded responses and can start',
  { timeout: 60_000 },
  async (name) => {
    const definition = Template.parse(JSON.parse(readFileSync(join(folder, name, `${name}.json`), 'utf8')))
    const { answers, brings = {}, values = {}, leaves = [] } = particulars[name] ?? {}
    await using fixture = await openWorkshop()
    const { host } = fixture
    steam({ host })
    for (const major of [8, 17, 21, 25])
      adoptium({ host }, major, {
        parts: ['java', 'javac'].map((one) => ({ name: `jdk-${major}.0.5+11/bin/${one}`, data: java, mode: 0o755 })),
      })
    host.give('/dist/index.json', [{ version: 'v22.11.0' }])
    nodejs({ host }, '22.11.0')
    answers?.(host)
    for (const [variable, value] of templateVariables(definition, { id: '0a1b2c3d', rootDir: fixture.folder }))
      fixture.values.set(variable, values[variable] ?? value)
    for (const [file, text] of Object.entries(brings)) {
      mkdirSync(dirname(join(fixture.folder, file)), { recursive: true })
      writeFileSync(join(fixture.folder, file), text)
    }
    const context = { fetch: reaching(host), stopOnError: true }

    await fixture.run(definition.install ?? [], context)
    await fixture.run(definition.run.pre ?? [], context)

    const app = definition.install?.find(({ type }) => type === 'steamgamedl')?.appId
    if (app !== undefined)
      expect(fixture.messages.join('\n')).toContain(`> asked: -app ${String(app).replace('${app}', '232370')} `)
    expect(leaves.filter((file) => !existsSync(join(fixture.folder, file)))).toEqual([])
    expect(Object.keys(particulars).filter((one) => !names.includes(one))).toEqual([])
  },
)
