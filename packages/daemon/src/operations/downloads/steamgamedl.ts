import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { isSecretName } from '@innkeeper/contract/definitions/variables'
import { maxMetadataBytes } from '../../downloads/fetch-json.ts'
import { getChild, parsePath, type SafePath } from '../../files/path/safe-path.ts'
import { commandError } from '../actions/command.ts'
import type { PreparedStep, StepContext } from '../context/step-context.ts'
import { ensureDepotDownloader } from './depot-downloader.ts'
import { scratchDirectory } from './scratch-directory.ts'
import { ensureSteamLibraries } from './steam-libraries.ts'

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
