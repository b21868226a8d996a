import type { Egg } from './egg.ts'
import { variablesAsCode } from './placeholders.ts'

const shells = ['bash', 'sh', 'ash', 'dash'] as const

/** The install script runs in the container of the server, and not in one of its own. */
export function installOf({ scripts }: Egg, drop: (where: string) => void) {
  const { script = '', container = '', entrypoint = '' } = scripts?.installation ?? {}
  if (script.trim() === '') return []
  if (container !== '') drop('scripts.installation.container')
  const named = shells.find((shell) => entrypoint.split('/').at(-1) === shell)
  if (entrypoint !== '' && !named) drop('scripts.installation.entrypoint')
  const text = variablesAsCode(script.replaceAll('\r\n', '\n').replaceAll('/mnt/server', '.'))
  return [
    { type: 'writefile', target: '.install.sh', text },
    { type: 'command', commands: [`${named === 'bash' ? 'bash' : 'sh'} .install.sh`], stopOnError: true },
  ]
}
