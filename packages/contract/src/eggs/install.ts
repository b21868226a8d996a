import type { Egg } from './egg.ts'
import { withoutCarriageReturns } from './placeholders.ts'

/** The install script runs in a container of its own image, as root, with the folder of the server at `/mnt/server`. */
export function getInstall({ scripts }: Egg, imageOfServer: string) {
  const { script = '', container = '', entrypoint = '' } = scripts?.installation ?? {}
  if (script.trim() === '') return []
  const image = container.trim().replace(/^~/, '').trim() || imageOfServer
  const shell = entrypoint.trim() || (/alpine/.test(image) ? 'ash' : 'bash')
  return [{ type: 'dockerrun', image, entrypoint: shell, script: withoutCarriageReturns(script), mount: '/mnt/server' }]
}
