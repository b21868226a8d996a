import { extractArchive } from '../../archives/archives.ts'
import { parseDigest } from '../../downloads/digest.ts'
import { fetchText } from '../../downloads/fetch-json.ts'
import { parsePath } from '../../files/path/safe-path.ts'
import { Progress } from '../../files/tree/progress.ts'
import type { StepContext } from '../context/step-context.ts'
import { downloadTo, notFoundAt } from './remote-file.ts'

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
export async function ensureSteamLibraries(context: StepContext): Promise<void> {
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
