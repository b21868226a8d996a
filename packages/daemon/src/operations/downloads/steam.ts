import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { isSecretName } from '@innkeeper/contract/definitions/variables'
import { z } from 'zod'
import { extractArchive } from '../../archives/archives.ts'
import { parseDigest } from '../../downloads/digest.ts'
import { fetchText, maxMetadataBytes, requireJson, urlIn } from '../../downloads/fetch-json.ts'
import { errorText } from '../../errors/error-text.ts'
import { getChild, parsePath, type SafePath } from '../../files/path/safe-path.ts'
import { Progress } from '../../files/tree/progress.ts'
import { commandError } from '../actions/command.ts'
import type { PreparedStep, StepContext } from '../context/step-context.ts'
import { downloadTo, notFoundAt } from './remote-file.ts'
import { safeFileName } from './runtimes.ts'
import { scratchDirectory } from './scratch-directory.ts'
import { findNewest } from './versions.ts'

const manifests = parsePath('.manifest')
const passwordVariable = 'INNKEEPER_STEAM_PASSWORD'

/** Non-interactive: stdin has the password, which must not be in an argument list, or nothing. */
const withPassword = `password=$${passwordVariable}; unset ${passwordVariable}; printf '%s\\n' "$password" | "$@"`
const withNothing = 'exec "$@" < /dev/null'

/** Installs or updates a Steam game with DepotDownloader, which runs with the server's permissions. */
export function fetchSteamGame(fields: StepFields<'steamgamedl'>): PreparedStep {
  const appId = fields.appId.trim()
  if (fields.password !== '' && fields.username === '') throw new Error('password needs a username')

  return async (context) => {
    const program = await ensureDepotDownloader(context)
    await ensureSteamLibraries(context)
    const root = context.values.get('rootDir') ?? '.'
    // Concurrent logins need different ids.
    const login = String(Number.parseInt(context.conditionContext.serverId, 16) % 0x7fff_ffff || 1)
    const common = [program, '-app', appId]
    const more = [...getAccount(fields), ...fields.extraArgs]
    await using _ = await scratchDirectory(context.files, manifests)
    await download(
      [...common, '-manifest-only', '-dir', `${root}/.manifest`, '-loginid', login, ...more],
      fields,
      context,
    )
    await download([...common, '-dir', root, '-loginid', login, '-validate', ...more], fields, context)
    await makeExecutable(context)
  }
}

function getAccount({ username, branch, branchPassword }: StepFields<'steamgamedl'>): string[] {
  return [
    ...(username === '' ? [] : ['-username', username, '-remember-password']),
    ...(branch === '' ? [] : ['-branch', branch]),
    ...(branchPassword === '' ? [] : ['-branchpassword', branchPassword]),
  ]
}

async function download(
  argv: readonly string[],
  fields: StepFields<'steamgamedl'>,
  context: StepContext,
): Promise<void> {
  const { password, username } = fields
  const known = [...context.values].filter(([name]) => isSecretName(name)).map(([, value]) => value)
  const secrets = [password, fields.branchPassword, ...known].filter((secret) => secret !== '')
  const shown = ['DepotDownloader', ...argv.slice(1)].map((part) => (secrets.includes(part) ? '***' : part)).join(' ')
  context.say(`Executing: ${shown}`)
  const exit = await context.runCommand(['sh', '-c', password === '' ? withNothing : withPassword, 'sh', ...argv], {
    env: {
      // No colors, and no ICU libraries that the system may lack.
      TERM: 'dumb',
      DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1',
      ...(password !== '' && { [passwordVariable]: password }),
    },
  })
  const failure = commandError('DepotDownloader', exit)
  if (!failure) return
  const hint =
    username === ''
      ? 'If the game is not free, the step needs a username and a password'
      : 'If Steam asked for a code, confirm the sign-in in the Steam app and install again'
  throw new Error(`${failure.message}. ${hint}`)
}

const manifestLine = /^\s*\d+\s+\d+\s+[0-9a-f]{40}\s+(?<flags>\d+)\s+(?<name>\S.*)$/i
const executable = 32 | 128

/** Steam has no file modes: makes every regular file executable. Directories and links are skipped. */
async function makeExecutable({ files, signal }: StepContext): Promise<void> {
  if ((await files.stat(manifests))?.kind !== 'folder') return
  for (const { name, kind } of await files.readdir(manifests)) {
    if (kind !== 'file' || !name.endsWith('.txt')) continue
    const text = String(await files.readFile(getChild(manifests, name), maxMetadataBytes))
    for (const line of text.split(/\r?\n/)) {
      signal.throwIfAborted()
      const entry = manifestLine.exec(line)?.groups
      const flags = Number(entry?.flags)
      if (!entry?.name || !(flags === 0 || (flags & executable) !== 0)) continue
      const path = parsePath(entry.name.replaceAll('\\', '/'))
      if (await isFile(path, files)) await files.setStat(path, { mode: 0o755 })
    }
  }
}

async function isFile(path: SafePath, files: StepContext['files']): Promise<boolean> {
  return (await files.lstat(path))?.kind === 'file'
}

const releaseUrl = new URL('https://api.github.com/repos/SteamRE/DepotDownloader/releases/latest')
const Release = z.object({
  tag_name: z.string(),
  assets: z.array(z.object({ name: z.string(), browser_download_url: z.string(), digest: z.string().nullish() })),
})

const javaMachines: Readonly<Record<string, string>> = { amd64: 'x64' }
const program = 'DepotDownloader'
const prefix = 'depotdownloader-'

/**
 * Installs DepotDownloader on the node if necessary and returns its path. Without GitHub, an installed version is used.
 */
async function ensureDepotDownloader(context: StepContext): Promise<string> {
  const { fetch, signal, sharedStore } = context
  const say = (message: string) => context.say(message)
  try {
    const runtime = await newest(context)
    return `${await sharedStore.runtimes.ensure(runtime, { fetch, signal, say })}/${program}`
  } catch (error) {
    signal.throwIfAborted()
    const installed = findNewest(await sharedStore.runtimes.names(prefix))
    if (installed === undefined) throw error
    say(`${errorText(error)}. Using the installed ${installed}`)
    return `${sharedStore.runtimes.directory}/${installed}/${program}`
  }
}

async function newest(context: StepContext) {
  const { os, arch } = context.conditionContext
  const release = await requireJson(releaseUrl, Release, context)
  const file = `${program}-${os}-${javaMachines[arch] ?? arch}.zip`
  const asset = release.assets.find(({ name }) => name === file)
  if (!asset) throw new Error(`${program} ${release.tag_name} does not support this node: there is no ${file}`)
  return {
    name: `${prefix}${safeFileName(release.tag_name.replace(/^DepotDownloader_/i, ''))}`,
    url: urlIn(asset.browser_download_url, releaseUrl),
    digest: parseDigest(asset.digest),
    archive: 'depotdownloader.zip',
    programs: [program],
  }
}

const listUrl = new URL('https://media.steampowered.com/client/steam_cmd_linux')

const paths = {
  folder: parsePath('.steam'),
  zip: parsePath('.steam/steamcmd_bins_linux.zip'),
  version: parsePath('.steam/steamcmd_bins_linux.txt'),
}
/** From their location in the Steam client to where games look for them. */
const moves = [
  [parsePath('.steam/linux32'), parsePath('.steam/sdk32')],
  [parsePath('.steam/linux64'), parsePath('.steam/sdk64')],
] as const

/** Installs Steam's libraries where game servers look for them: below HOME, which is the server's directory. */
async function ensureSteamLibraries(context: StepContext): Promise<void> {
  const { files, signal } = context
  const text = (await fetchText(listUrl, context)) ?? ''
  const found = /"(?<name>steamcmd_bins_linux\.zip\.[0-9a-f]+)"(?<rest>[^}]*)/i.exec(text)?.groups
  if (!found?.name) throw notFoundAt(listUrl.hostname, 'libraries for Linux')
  if (await isInstalled(found.name, context)) return

  const digest = parseDigest(/"sha2"\s*"(?<hex>[0-9a-f]{64})"/i.exec(found.rest ?? '')?.groups?.hex)
  await downloadTo({ url: new URL(found.name, listUrl), digest }, paths.zip, context)
  await extractArchive({
    files,
    archive: paths.zip,
    destination: paths.folder,
    onConflict: 'replace',
    progress: new Progress(),
    signal,
  })
  await files.removeTree(paths.zip)
  for (const [from, to] of moves) {
    if (!(await files.exists(from))) continue
    if (await files.exists(to)) await files.removeTree(to)
    await files.rename(from, to)
  }
  await files.writeFile(paths.version, found.name)
  context.say('The Steam libraries are already installed')
}

async function isInstalled(name: string, { files }: StepContext): Promise<boolean> {
  if (!(await files.exists(paths.version))) return false
  for (const [, to] of moves) if ((await files.stat(to))?.kind !== 'folder') return false
  return String(await files.readFile(paths.version, 1_000)) === name
}
