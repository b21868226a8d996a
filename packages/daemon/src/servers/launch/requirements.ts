import { arch, platform } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { substitute } from '@innkeeper/contract/definitions/command-line'
import {
  type Definition,
  findEnvironmentType,
  getEnvironment,
  needsContainers,
  type Requirements,
} from '@innkeeper/contract/definitions/definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { isProgram } from '../../environments/locate-program.ts'

interface RequirementContext {
  readonly definition: Definition
  readonly values: ReadonlyMap<string, string>
  /** The PATH of the servers. */
  readonly path: string
  /** Whether the Docker Engine is available; only called for a server that needs it. */
  readonly isDockerAvailable: () => Promise<boolean>
  /** `GOOS` and `GOARCH`. Default: the host's. */
  readonly host?: { readonly os: string; readonly arch: string }
}

/**
 * Throws when this node cannot run a server: `ErrUnsupportedOS`, `ErrUnsupportedArch`, `ErrMissingBinary`,
 * `ErrDockerNotSupported`. `||` separates alternatives. The programs of the node are not checked for containers.
 */
export async function checkRequirements(
  requirements: Requirements | null | undefined,
  { definition, values, path, isDockerAvailable, host = hostPlatform() }: RequirementContext,
): Promise<void> {
  const { os, arch: processor, binaries } = requirements ?? {}
  refuseUnless('ErrUnsupportedOS', os, host.os)
  refuseUnless('ErrUnsupportedArch', processor, host.arch)
  if (needsContainers(definition) && !(await isDockerAvailable())) throw new Refusal('ErrDockerNotSupported')
  if (findEnvironmentType(getEnvironment(definition)) === 'docker') return

  const [missing] = await findMissingPrograms(
    (binaries ?? []).map((entry) => substitute(entry, values)),
    path,
  )
  if (missing !== undefined) throw new Refusal('ErrMissingBinary', { expected: alternatives(missing).join(' OR ') })
}

/** Returns the entries of `binaries` of which no alternative is in PATH. */
export async function findMissingPrograms(entries: readonly string[], path: string): Promise<string[]> {
  const missing: string[] = []
  for (const entry of entries) {
    const names = alternatives(entry)
    const found = await Promise.all(names.map((name) => isOnPath(name, path)))
    if (names.length > 0 && !found.includes(true)) missing.push(entry)
  }
  return missing
}

function refuseUnless(
  code: 'ErrUnsupportedOS' | 'ErrUnsupportedArch',
  supported: string | null | undefined,
  actual: string,
): void {
  const names = alternatives(supported ?? '')
  if (names.length > 0 && !names.includes(actual)) throw new Refusal(code, { actual, expected: names.join(' OR ') })
}

function alternatives(text: string): string[] {
  return text
    .split('||')
    .map((name) => name.trim())
    .filter(Boolean)
}

const goNames: Readonly<Record<string, string>> = { win32: 'windows', x64: 'amd64', ia32: '386' }

/** The host's `GOOS` and `GOARCH`. */
export function hostPlatform() {
  const [os, processor] = [platform(), arch()]
  return { os: goNames[os] ?? os, arch: goNames[processor] ?? processor }
}

/** Whether a PATH contains an executable of this name. */
export async function isOnPath(name: string, path: string): Promise<boolean> {
  if (isAbsolute(name)) return await isProgram(name)
  if (name.includes('/')) return false
  for (const folder of path.split(delimiter))
    if (isAbsolute(folder) && (await isProgram(join(folder, name)))) return true
  return false
}
