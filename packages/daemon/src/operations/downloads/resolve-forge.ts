import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { findParent, getName, parsePattern, rootPath } from '../../files/path/safe-path.ts'
import type { PreparedStep } from '../context/step-context.ts'
import { neoForgeLine } from './forgedl.ts'
import { findNewest } from './versions.ts'

/** Finds the newest installed Forge and sets a variable to its version. */
export function resolveForge(fields: StepFields<'resolveforgeversion'>): PreparedStep {
  const { version, minecraftVersion: minecraft } = trimmed(fields)
  const prefix = version || (minecraft && `${minecraft}-`)
  return resolveNewest('Forge', 'libraries/net/minecraftforge/forge', prefix, fields.outputVariable)
}

/** Likewise for NeoForge, whose versions do not begin with the Minecraft version. */
export function resolveNeoForge(fields: StepFields<'resolveneoforgeversion'>): PreparedStep {
  const { version, minecraftVersion: minecraft } = trimmed(fields)
  const prefix = version || (minecraft && `${neoForgeLine(minecraft)}.`)
  return resolveNewest('NeoForge', 'libraries/net/neoforged/neoforge', prefix, fields.outputVariable)
}

const trimmed = ({ version, minecraftVersion }: { version: string; minecraftVersion: string }) => ({
  version: version.trim(),
  minecraftVersion: minecraftVersion.trim(),
})

function resolveNewest(subject: string, folder: string, prefix: string, variable: string): PreparedStep {
  const pattern = parsePattern(`${folder}/*/unix_args.txt`)

  return async ({ files, say, setVariable }) => {
    const found = (await files.glob(pattern)).map((path) => getName(findParent(path) ?? rootPath))
    const newest = findNewest(found.filter((version) => version.startsWith(prefix)))
    if (newest === undefined) {
      throw new Error(`no ${subject}${prefix ? ` ${prefix}*` : ''} is installed in ${folder}: run Install first`)
    }
    say(`${subject} ${newest}`)
    await setVariable(variable, newest)
  }
}
