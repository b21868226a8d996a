import type { StepFields } from '@innkeeper/contract/operations'
import { nameOf, parentOf, parsePattern, rootPath } from '../files/path/safe-path.ts'
import { neoForgeLine } from './forgedl.ts'
import type { ReadyStep } from './step-context.ts'
import { newestOf } from './versions.ts'

/** Finds the newest Forge that is installed, and sets a variable to its version. */
export function resolveForge(fields: StepFields<'resolveforgeversion'>): ReadyStep {
  const { version, minecraftVersion: minecraft } = trimmed(fields)
  const beginning = version || (minecraft && `${minecraft}-`)
  return resolving('Forge', 'libraries/net/minecraftforge/forge', beginning, fields.outputVariable)
}

/** Likewise for NeoForge, whose versions do not begin with that of Minecraft. */
export function resolveNeoForge(fields: StepFields<'resolveneoforgeversion'>): ReadyStep {
  const { version, minecraftVersion: minecraft } = trimmed(fields)
  const beginning = version || (minecraft && `${neoForgeLine(minecraft)}.`)
  return resolving('NeoForge', 'libraries/net/neoforged/neoforge', beginning, fields.outputVariable)
}

const trimmed = ({ version, minecraftVersion }: { version: string; minecraftVersion: string }) => ({
  version: version.trim(),
  minecraftVersion: minecraftVersion.trim(),
})

function resolving(what: string, folder: string, beginning: string, variable: string): ReadyStep {
  const pattern = parsePattern(`${folder}/*/unix_args.txt`)

  return async ({ files, say, setVariable }) => {
    const found = (await files.glob(pattern)).map((path) => nameOf(parentOf(path) ?? rootPath))
    const newest = newestOf(found.filter((version) => version.startsWith(beginning)))
    if (newest === undefined) {
      throw new Error(`no ${what}${beginning ? ` ${beginning}*` : ''} is installed in ${folder}: run Install first`)
    }
    say(`${what} ${newest}`)
    await setVariable(variable, newest)
  }
}
